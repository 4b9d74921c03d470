import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Loaded before a server's own program: tells, each time that the benchmark sends a message, how late the event loop was since the last time: ms, 99th percentile. */
const resolution = 5
const delay = monitorEventLoopDelay({ resolution })
delay.enable()
process.on('message', () => {
  // Node counts the interval of its timer too.
  process.send?.(Math.max(0, delay.percentile(99) / 1e6 - resolution))
  delay.reset()
})
process.channel?.unref()
