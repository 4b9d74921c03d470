import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'

/** The load generator: its own process, so its own event loop. Options come as JSON on stdin. */
const result = await autocannon(JSON.parse(await text(process.stdin)))
process.stdout.write(JSON.stringify(result))
