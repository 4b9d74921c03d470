import { setTimeout as sleep } from 'node:timers/promises'
import { threadId, workerData } from 'node:worker_threads'
import { runTask, type Task } from '../../src/event-loop/run-task.ts'
import { requestContext } from '../../src/request/context.ts'

/** A thread takes so long to start, and counts itself then. */
const { startMs = 0, started } = workerData as { startMs?: number; started?: Int32Array }
await sleep(startMs)
if (started) Atomics.add(started, 0, 1)

/** The tasks of `thread-pool.test.ts`, by their kind. */
const tasks: Record<string, (input: unknown) => Promise<unknown>> = {
  sleep: async (input) => {
    await sleep(Number(input))
    return 'slept'
  },
  'name the thread': async () => threadId,
  'move on': async (input) => {
    for (let step = 0; step < 5; step++) {
      await sleep(Number(input))
      requestContext.getStore()?.reportProgress?.()
    }
    return 'done'
  },
  'until cancelled': () =>
    new Promise((_resolve, reject) => {
      const going = setInterval(() => {}, 1_000)
      requestContext.getStore()?.signal.addEventListener('abort', () => {
        clearInterval(going)
        reject(new Error('cancelled'))
      })
    }),
  block: async () => {
    for (;;);
  },
  'fill the memory': async () => {
    const filled: number[][] = []
    for (;;) filled.push(Array.from({ length: 10_000 }, (_, i) => i))
  },
}

export function run(task: Task<{ kind: string; input: unknown }> | undefined): Promise<unknown> {
  return runTask(task, async ({ kind, input }) => ({ output: await tasks[kind]?.(input) }))
}
