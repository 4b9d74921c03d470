import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * They take half a minute each, and are short. Vitest begins with the largest files where it has no times of an earlier
 * run, as on a clean clone: these would be the last, and a core would wait for them.
 */
const long =
  /\/test\/(random\/|app\/serve|catalogue\/changes\/recent-products|import\/growth|security\/hostile-documents)/

/** Begins each project with the files that take long. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId)
    return Array.from(byProject.values()).flatMap((ofProject) => [
      ...ofProject.filter(isLong),
      ...ofProject.filter((file) => !isLong(file)),
    ])
  }
}
