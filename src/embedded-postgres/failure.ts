import { statfs } from 'node:fs/promises'

const minRoom = 1024 * 1024

/** An error that says what PostgreSQL could not do, and why: a full disk may have cut off its log. */
export async function failureOf(what: string, log: string, path: string): Promise<Error> {
  const { bavail, bsize } = await statfs(path)
  const isFull = /No space left on device/.test(log) || bavail * bsize < minRoom
  const reason = isFull ? `: the disk of ${path} is full. Free 100 MB of it, and start again` : ''
  const lines = log.trimEnd().split('\n').slice(-10).join('\n')
  return new Error(`${what}${reason}.${lines === '' ? '' : ` The log ends with\n${lines}`}`)
}
