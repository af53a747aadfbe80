/**
 * Markdown as elements: no text of a model ever becomes HTML, no picture is fetched, and a link is followed by the host
 * when a person presses it.
 */
import { lexer, type Token, type Tokens } from "marked"
import { createContext, Fragment, memo, type ReactNode, useContext, useMemo, useRef } from "react"
import { grow, nothing } from "../state/arriving.ts"
import { useColours } from "../highlight/colours.ts"
import type { Line } from "../highlight/Line.ts"
import { say } from "../state/store.ts"

const follow = (target: string): void => say({ type: "link", target })

const Link = ({ children, target }: { readonly children: ReactNode; readonly target: string }) => (
  <button type="button" className="link" title={target} onClick={() => follow(target)}>
    {children}
  </button>
)

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

/** The lexer writes some signs as entities of HTML, which is not what is made of them here. */
const plain = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/gu, (all, name) => entities[name] ?? all)

const imageName = (href: string): string =>
  URL.canParse(href) ? `${new URL(href).host}${new URL(href).pathname}` : href

const inline = (tokens: ReadonlyArray<Token> | undefined): ReactNode =>
  (tokens ?? []).map((token, index) => <Fragment key={index}>{inlineOf(token)}</Fragment>)

const inlineOf = (token: Token): ReactNode => {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens)}</strong>
    case "em":
      return <em>{inline(token.tokens)}</em>
    case "del":
      return <del>{inline(token.tokens)}</del>
    case "codespan":
      return <code>{plain(token["text"])}</code>
    case "br":
      return <br />
    case "link":
      return <Link target={token["href"]}>{inline(token.tokens)}</Link>
    case "image":
      return <Link target={token["href"]}>Image: {imageName(token["href"])}</Link>
    case "escape":
      return plain(token["text"])
    case "text":
      return token["tokens"] === undefined ? plain(token["text"]) : inline(token["tokens"])
    default:
      return token.raw
  }
}

const List = ({ list }: { readonly list: Tokens.List }) => {
  const items = list.items.map((item, index) => (
    <li key={index}>
      {item.task ? <span className="word">{item.checked === true ? "☑ " : "☐ "}</span> : null}
      {blocks(item.tokens)}
    </li>
  ))
  return list.ordered ? <ol start={list.start === "" ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>
}

const Table = ({ table }: { readonly table: Tokens.Table }) => (
  <div className="table" tabIndex={0} role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          {table.header.map((cell, index) => (
            <th key={index}>{inline(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column}>{inline(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Finished = createContext(true)

const Lines = ({ lines }: { readonly lines: ReadonlyArray<Line> }) =>
  lines.map((line, index) => (
    <Fragment key={index}>
      {index === 0 ? "" : "\n"}
      {line.map(([piece, kind], at) =>
        kind === undefined ? (
          piece
        ) : (
          <span key={at} className={`code-${kind}`}>
            {piece}
          </span>
        )
      )}
    </Fragment>
  ))

const Code = ({ lang, text }: { readonly text: string; readonly lang: string | undefined }) => {
  const lines = useColours(lang, text, useContext(Finished))
  return (
    <figure className="code">
      <figcaption>
        <span>{lang ?? ""}</span>
        <button type="button" className="quiet" onClick={() => void navigator.clipboard.writeText(text)}>
          Copy
        </button>
      </figcaption>
      <pre tabIndex={0}>
        <code>{lines === undefined ? text : <Lines lines={lines} />}</code>
      </pre>
    </figure>
  )
}

const blockOf = (token: Token): ReactNode => {
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return null
    case "heading":
      // Headings of an answer stand below those of the view.
      return (
        <p className="heading" role="heading" aria-level={Math.min(6, token["depth"] + 2)}>
          {inline(token.tokens)}
        </p>
      )
    case "paragraph":
      return <p>{inline(token.tokens)}</p>
    case "code":
      return <Code text={token["text"]} lang={token["lang"]} />
    case "blockquote":
      return <blockquote>{blocks(token.tokens)}</blockquote>
    case "list":
      return <List list={token as Tokens.List} />
    case "table":
      return <Table table={token as Tokens.Table} />
    case "hr":
      return <hr />
    case "text":
      return token.tokens === undefined ? plain(token["text"]) : inline(token.tokens)
    default:
      return <p>{token.raw}</p>
  }
}

const blocks = (tokens: ReadonlyArray<Token> | undefined): ReactNode =>
  (tokens ?? []).map((token, index) => <Fragment key={index}>{blockOf(token)}</Fragment>)

const Blocks = memo(({ text }: { readonly text: string }) => {
  const tokens = useMemo(() => lexer(text, { gfm: true }), [text])
  return blocks(tokens)
})

export const Markdown = ({ text }: { readonly text: string }) => (
  <div className="markdown">
    <Blocks text={text} />
  </div>
)

/** What is finished is left alone while more arrives. */
const Pieces = memo(({ pieces }: { readonly pieces: ReadonlyArray<string> }) =>
  pieces.map((piece, index) => <Blocks key={index} text={piece} />)
)

/** More of it may come: only its last block is read anew, and its code has no colours yet. */
export const ArrivingMarkdown = ({ text }: { readonly text: string }) => {
  const before = useRef(nothing)
  const { pieces, rest } = useMemo(() => (before.current = grow(before.current, text)), [text])
  return (
    <Finished value={false}>
      <div className="markdown">
        <Pieces pieces={pieces} />
        <Blocks text={rest} />
      </div>
    </Finished>
  )
}
