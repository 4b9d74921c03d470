import type { ServerResponse } from 'node:http'
import { HttpError } from '../request/http-error.ts'
import type { Reserve } from '../request/read-bytes.ts'

export type MemoryBudget = ReturnType<typeof createMemoryBudget>

/** Not counted, for each request: small bodies are read and small answers are sent while large ones wait. */
const freeBytes = 64 * 1024

/** Limits the memory of all open requests, for bodies, reads and unread answers, to `maxBytes`; a tenant's to half. */
export function createMemoryBudget(maxBytes: number) {
  const byTenant = new Map<string, number>()
  let total = 0
  const heldBy = (tenant: string) => byTenant.get(tenant) ?? 0
  const add = (tenant: string, bytes: number) => {
    total += bytes
    const own = heldBy(tenant) + bytes
    if (own > 0) byTenant.set(tenant, own)
    else byTenant.delete(tenant)
  }
  const reserveFor = (response: ServerResponse, tenant: string): Reserve => {
    let size = 0
    let isWatched = false
    const counted = () => Math.max(0, size - freeBytes)
    const release = () => {
      add(tenant, -counted())
      size = 0
    }
    return (bytes, isRequired = false) => {
      if (response.destroyed) return
      const more = Math.max(0, size + bytes - freeBytes) - counted()
      const isTooMuch = total + more > maxBytes || heldBy(tenant) + more > maxBytes / 2
      if (more > 0 && isTooMuch && !isRequired) {
        release()
        throw tooMuchMemory()
      }
      size = Math.max(0, size + bytes)
      if (more === 0) return
      add(tenant, more)
      if (!isWatched) response.once('close', release)
      isWatched = true
    }
  }
  return {
    reserveFor,
    state: () => ({ held: total, max: maxBytes }),
    /** Throws `unavailable` if the tenant has used its half: required bytes may exceed it. */
    requireMemory: (tenant: string) => {
      if (heldBy(tenant) >= maxBytes / 2) throw tooMuchMemory()
    },
  }
}

function tooMuchMemory(): HttpError {
  return new HttpError('unavailable', 'the open requests hold too much memory; read their answers, then retry')
}
