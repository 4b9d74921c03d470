import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'

/** The load generator: a process of its own, so that it does not share an event loop with what it measures. Options come as JSON on stdin. */
const result = await autocannon(JSON.parse(await text(process.stdin)))
process.stdout.write(JSON.stringify(result))
