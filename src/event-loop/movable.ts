/** The bytes in a buffer of their own: short ones may share theirs, which cannot be moved. */
export function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  return isAlone ? new Uint8Array(buffer) : new Uint8Array(bytes)
}
