/** What cannot be shown leaves the rest alone. */
import { Component, type ReactNode } from "react"

interface Props {
  readonly children: ReactNode
  /** In its place. `again` tries to show it once more. */
  readonly instead: (again: () => void) => ReactNode
}

export class Boundary extends Component<Props, { readonly failed: boolean }> {
  override state = { failed: false }
  static getDerivedStateFromError() {
    return { failed: true }
  }
  override render() {
    return this.state.failed ? this.props.instead(() => this.setState({ failed: false })) : this.props.children
  }
}
