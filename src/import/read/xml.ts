import { SaxesParser } from 'saxes'
import { messageOf } from '../../errors.ts'
import { maxRowLength } from './limits.ts'
import { BrokenFile } from './row.ts'

export interface XmlHandlers {
  /** The encoding that the declaration names. */
  declare?(encoding: string): void
  /** `name` is without its prefix. */
  open?(name: string, attributes: Readonly<Record<string, string>>, fullName: string): void
  text?(text: string): void
  close?(name: string): void
  /** Reads the next part of the text, of which it parses what needs a parser. The part is empty at the end. */
  skim?(text: string, parse: (text: string) => void): void
}

/** Parses XML and calls the handlers; yields after each part. Throws a BrokenFile for bad XML, or XML with a DTD. */
export async function* parseXml(bytes: AsyncIterable<Buffer>, handlers: XmlHandlers): AsyncGenerator<void> {
  const parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false })
  parser.on('error', (error) => {
    throw new BrokenFile(`the file must be XML: ${error.message}`)
  })
  parser.on('doctype', () => {
    throw new BrokenFile('the file must be XML without a DTD')
  })
  const { declare, open, text, close, skim } = handlers
  parser.on('xmldecl', ({ encoding }) => declare?.(encoding ?? ''))
  /** The length of the present text or tag, of which the parser tells at its end. */
  let pending = 0
  parser.on('opentag', ({ name, attributes }) => {
    pending = 0
    open?.(localName(name), attributes, name)
  })
  parser.on('closetag', ({ name }) => {
    pending = 0
    close?.(localName(name))
  })
  if (text) {
    parser.on('text', text)
    parser.on('cdata', text)
  }
  const parse = (part: string) => {
    pending += part.length
    parser.write(part)
  }
  const write = (part: string) => (skim && part !== '' ? skim(part, parse) : parse(part))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch (error) {
      throw new BrokenFile(`the file must be XML in UTF-8: ${messageOf(error)}`)
    }
  }
  for await (const chunk of bytes) {
    write(decode(chunk))
    if (pending > maxRowLength) throw new BrokenFile(`a text or a tag has more than ${maxRowLength} bytes`)
    yield
  }
  write(decode())
  skim?.('', parse)
  parser.close()
  yield
}

/** Parses XML to its end. */
export async function parseWholeXml(bytes: AsyncIterable<Buffer>, handlers: XmlHandlers): Promise<void> {
  for await (const _part of parseXml(bytes, handlers));
}

export function localName(name: string): string {
  const prefix = name.indexOf(':')
  return prefix < 0 ? name : name.slice(prefix + 1)
}
