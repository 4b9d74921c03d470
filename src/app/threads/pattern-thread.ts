import { type PatternTask, runPatterns } from '../../catalogue/attributes/patterns.ts'
import { runTask, type Task } from '../../event-loop/run-task.ts'

/** Runs patterns in this thread, as long as they report progress. */
export function run(task: Task<readonly PatternTask[]>): Promise<unknown> {
  return runTask(task, async (tasks, { reportProgress }) => ({ output: await runPatterns(tasks, reportProgress) }))
}
