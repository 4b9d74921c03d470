import { type PatternTask, runPatterns } from '../catalogue/attributes/patterns.ts'
import { runTask, type Task } from '../heavy/run-task.ts'

/** Runs patterns in this thread, for as long as they move on. */
export function run(task: Task<readonly PatternTask[]>): Promise<unknown> {
  return runTask(task, async (tasks, { reportProgress }) => ({
    output: await runPatterns(tasks, reportProgress),
    moved: [],
  }))
}
