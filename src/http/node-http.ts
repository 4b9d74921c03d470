import type Http from 'node:http'

/** `node:http` without `import`, which would load the WebSocket and fetch of Node (30 ms and 13 MB at the start). */
export const { createServer, STATUS_CODES }: typeof Http = process.getBuiltinModule('node:http')
