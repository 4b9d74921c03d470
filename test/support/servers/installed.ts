import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** What apt-get installs for a program whose package has another name. */
const packages: Record<string, string> = {
  nginx: 'nginx-light',
  pg_ctl: 'postgresql',
  psql: 'postgresql-client',
  'systemd-analyze': 'systemd',
}

/**
 * The path of a program that a test or a benchmark starts: `setting`, or where it is found on the PATH and in the
 * folders that Debian has beside it. A name may be a path already. Throws what to install.
 */
export function program(name: string, setting?: string): string {
  const found = setting ?? findProgram(name)
  if (!found) throw new Error(`${name} is not on the PATH: on Debian, apt-get install ${packages[name] ?? name}`)
  return found
}

export function findProgram(name: string): string | undefined {
  return folders()
    .map((folder) => resolve(folder, name))
    .find(isProgram)
}

/** The newest PostgreSQL of Debian first: its programs are of one version. Written apart: knip resolves whole paths. */
function folders(): string[] {
  const [administrators, servers] = [join('/', 'usr', 'sbin'), join('/', 'usr', 'lib', 'postgresql', '*', 'bin')]
  return [...globSync(servers).toSorted().reverse(), ...(process.env.PATH ?? '').split(delimiter), administrators]
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
