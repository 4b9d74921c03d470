import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { works } from './far-clients.ts'

type Works = typeof works

export interface FarClients {
  /** Has something done in the process of the clients. */
  run<Name extends keyof Works>(name: Name, given: Parameters<Works[Name]>[0]): ReturnType<Works[Name]>
  end(): void
}

/** Clients in a process of their own: what they do keeps neither the test nor its measuring client waiting. */
export async function startFarClients(): Promise<FarClients> {
  const child = fork(fileURLToPath(new URL('./far-process.ts', import.meta.url)), { serialization: 'advanced' })
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
  const clients: FarClients = {
    run: (name, given) => {
      const id = ++latest
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
      child.send({ id, name, given })
      return answer as ReturnType<Works[typeof name]>
    },
    end: () => child.disconnect(),
  }
  await clients.run('begin', undefined)
  return clients
}
