/**
 * The CPU time that synchronous work takes in this thread, in ms: other work of the machine does not lengthen it. Some
 * systems count it in steps of 4 ms.
 */
export function cpuMsOf(work: () => void): number {
  const begun = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(begun)
  return (user + system) / 1_000
}
