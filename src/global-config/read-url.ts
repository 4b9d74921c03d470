import { readFile } from 'node:fs/promises'

const deadlineMs = 5_000
const mostBytes = 1024 * 1024

/** The text at a `file:`, `http:` or `https:` URL: at most 1 MiB within 5 seconds, no redirects. Throws a sentence without the URL's secrets. */
export async function readUrl(url: string): Promise<string> {
  if (url.startsWith('file:')) return readFile(new URL(url), 'utf8')
  const { target, headers } = withoutCredentials(new URL(url))
  const response = await fetch(target, { headers, redirect: 'error', signal: AbortSignal.timeout(deadlineMs) })
  if (!response.ok || !response.body) throw new Error(`the answer has status ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > mostBytes) throw new Error('the answer has more than 1 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** `fetch` refuses a URL with credentials, and quotes it: they go into a header. */
function withoutCredentials(target: URL): { target: URL; headers: Record<string, string> } {
  const credentials = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`
  target.username = target.password = ''
  if (credentials === ':') return { target, headers: {} }
  return { target, headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } }
}
