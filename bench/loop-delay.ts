import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/**
 * Preloaded by a server: answers each message with the event loop's delay since the last one: ms, 99th percentile. Node
 * preloads it in worker threads too, where its timer would only cost time.
 */
if (isMainThread) {
  const resolution = 5
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  process.on('message', () => {
    // Node counts the interval of its timer too.
    process.send?.(Math.max(0, delay.percentile(99) / 1e6 - resolution))
    delay.reset()
  })
  process.channel?.unref()
}
