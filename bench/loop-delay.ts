import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Preloaded by a server: answers each message with the event loop's delay since the last one: ms, 99th percentile. */
const resolution = 5
const delay = monitorEventLoopDelay({ resolution })
delay.enable()
process.on('message', () => {
  // Node counts the interval of its timer too.
  process.send?.(Math.max(0, delay.percentile(99) / 1e6 - resolution))
  delay.reset()
})
process.channel?.unref()
