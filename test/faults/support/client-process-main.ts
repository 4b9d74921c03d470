import { tasks } from './client-tasks.ts'

type Task = (given: unknown) => Promise<unknown>

/** The process of the clients: runs the tasks that it receives, and reports the results. */
process.on('message', async ({ id, name, given }: { id: number; name: keyof typeof tasks; given: unknown }) => {
  try {
    const result = await (tasks[name] as Task)(given)
    process.send?.({ id, result })
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? error.message : String(error) })
  }
})
process.on('disconnect', () => process.exit())
