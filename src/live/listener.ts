import type { Change } from '../catalogue/changes/change.ts'
import type { LedgerPosition } from '../catalogue/changes/cursor.ts'
import type { EventFilter } from './event-filter.ts'

/** What is notified of the changes of some stores. */
export interface Listener {
  /** Undefined: all, also those that are created later. */
  readonly stores: readonly string[] | undefined
  readonly filter: EventFilter
  /** Whom it belongs to. */
  readonly share: { tenant: string; tokenId: string }
  /** In their order. Listeners that want the same are given the same list. */
  notify(changes: readonly Change[]): void
  /** Resolves when it can take more; undefined: at once. Only catching up waits for it. */
  ready(): Promise<void> | undefined
  /** It has been notified of all changes before the position, which may be before an earlier one. */
  reached(position: LedgerPosition): void
  /** It cannot be notified of further changes. */
  cut(): void
}
