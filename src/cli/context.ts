/** 0: success; 1: some rows failed, a check found a difference, or the command failed; 2: wrong usage. */
export type ExitCode = 0 | 1 | 2

/** What a command works with besides its own options. */
export interface CommandContext {
  env: Record<string, string | undefined>
  /** Sets the exit code of the program. */
  end(code: ExitCode): void
}
