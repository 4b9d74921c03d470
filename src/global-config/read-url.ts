import { readFile } from 'node:fs/promises'
import { withoutCredentials } from '../text.ts'

const deadlineMs = 5_000
const maxBytes = 1024 * 1024

/** Reads a `file:`, `http:` or `https:` URL: at most 1 MiB, within 5 seconds, without redirects. No error contains the URL's credentials. */
export async function readUrl(text: string): Promise<string> {
  const { url, headers } = withoutCredentials(text)
  if (url.protocol === 'file:') return readFile(url, 'utf8')
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(deadlineMs) })
  if (!response.ok || !response.body) throw new Error(`the answer has status ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > maxBytes) throw new Error('the answer has more than 1 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
