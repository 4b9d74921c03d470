import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { tasks } from './client-tasks.ts'

type Tasks = typeof tasks

export interface ClientProcess {
  run<Name extends keyof Tasks>(name: Name, given: Parameters<Tasks[Name]>[0]): ReturnType<Tasks[Name]>
  end(): void
}

/** Clients in a process of their own: what they do keeps neither the test nor its measuring client waiting. */
export async function startClientProcess(): Promise<ClientProcess> {
  const child = fork(fileURLToPath(new URL('./client-process-main.ts', import.meta.url)), { serialization: 'advanced' })
  const waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>()
  let latest = 0
  child.on('message', ({ id, result, error }: { id: number; result: never; error?: string }) => {
    const { resolve, reject } = waiting.get(id) ?? {}
    waiting.delete(id)
    if (error === undefined) resolve?.(result)
    else reject?.(new Error(error))
  })
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the process of the clients ended'))
  })
  const clients: ClientProcess = {
    run: (name, given) => {
      const id = ++latest
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
      child.send({ id, name, given })
      return answer as ReturnType<Tasks[typeof name]>
    },
    end: () => child.disconnect(),
  }
  await clients.run('begin', undefined)
  return clients
}
