/** The text of a PDF, page by page. As slow as the file is large: it runs in a thread of its own. Nothing is loaded. */
import { extractText, getDocumentProxy } from "unpdf"

export const pdfText = async (bytes: Uint8Array): Promise<ReadonlyArray<string>> => {
  const document = await getDocumentProxy(new Uint8Array(bytes))
  const { text } = await extractText(document, { mergePages: false })
  return text
}
