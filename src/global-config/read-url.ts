import { readFile } from 'node:fs/promises'

const deadlineMs = 5_000
const maxBytes = 1024 * 1024

/** Reads a `file:`, `http:` or `https:` URL: at most 1 MiB, within 5 seconds, without redirects. No error contains the URL's credentials. */
export async function readUrl(url: string): Promise<string> {
  if (url.startsWith('file:')) return readFile(new URL(url), 'utf8')
  const { target, headers } = withoutCredentials(new URL(url))
  const response = await fetch(target, { headers, redirect: 'error', signal: AbortSignal.timeout(deadlineMs) })
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

/** `fetch` refuses a URL with credentials, with an error that contains them; a header may have them. */
function withoutCredentials(target: URL): { target: URL; headers: Record<string, string> } {
  const credentials = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`
  target.username = target.password = ''
  if (credentials === ':') return { target, headers: {} }
  return { target, headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } }
}
