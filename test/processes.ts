import { readdirSync, readFileSync } from 'node:fs'

/** A running process. */
interface Process {
  readonly pid: number
  readonly name: string
  /** Its memory, in MB. */
  readonly mb: number
  /** Its CPU time, in milliseconds. */
  readonly cpuMs: number
}

/** Lists a process and its descendants, without those that have ended. Returns none if there is no /proc. */
function processes(pid: number | undefined): readonly Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Its name is in parentheses and may contain any character
    const afterName = stat.lastIndexOf(')')
    const [user = 0, system = 0] = stat
      .slice(afterName + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number)
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    const own = {
      pid: Number(pid),
      name: stat.slice(stat.indexOf('(') + 1, afterName),
      mb: kilobytes / 1_000,
      cpuMs: (user + system) * 10,
    }
    return [own, ...children.flatMap(processes)]
  } catch {
    return []
  }
}

/** The memory of a process and its descendants, or only of those with a name, in MB; undefined if there is no /proc. */
export function memoryOf(pid: number | undefined, name?: string): number | undefined {
  const counted = processes(pid).filter((each) => name === undefined || each.name === name)
  return counted.length === 0 ? undefined : Math.round(counted.reduce((sum, { mb }) => sum + mb, 0))
}

/** The CPU time of a process and its descendants, in milliseconds; 0 if there is no /proc. */
export function cpuOf(pid: number | undefined): number {
  return processes(pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0)
}

/** The CPU time of the threads that still run in processes with a name, to the nanosecond. */
export function workOf(pid: number | undefined, name: string): number {
  const counted = processes(pid).filter((each) => each.name === name)
  const threads = counted.flatMap((each) =>
    readdirSync(`/proc/${each.pid}/task`).map((id) => `/proc/${each.pid}/task/${id}`),
  )
  return (
    threads.reduce((sum, thread) => sum + Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]), 0) / 1e6
  )
}
