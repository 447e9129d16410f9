import { readdirSync, readFileSync } from 'node:fs'

/** What is known of a running process. */
interface Process {
  readonly pid: number
  readonly name: string
  /** The memory that it holds, in MB. */
  readonly mb: number
  /** The time that it has taken of the processors, in milliseconds. */
  readonly cpuMs: number
}

/** A process with all below it; none where there is no /proc, and none that has ended meanwhile. */
function processes(pid: number | undefined): readonly Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Its name stands in brackets, and may hold any character
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

/** The memory of a process and all below it, in MB, or of those of one name alone; undefined where there is no /proc. */
export function memoryOf(pid: number | undefined, name?: string): number | undefined {
  const counted = processes(pid).filter((each) => name === undefined || each.name === name)
  return counted.length === 0 ? undefined : Math.round(counted.reduce((sum, { mb }) => sum + mb, 0))
}

/** The time that a process and all below it have taken of the processors, in milliseconds; 0 where there is no /proc. */
export function cpuOf(pid: number | undefined): number {
  return processes(pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0)
}

/** The same to the nanosecond, of the threads that are running yet in processes of a name. */
export function workOf(pid: number | undefined, name: string): number {
  const counted = processes(pid).filter((each) => each.name === name)
  const threads = counted.flatMap((each) =>
    readdirSync(`/proc/${each.pid}/task`).map((id) => `/proc/${each.pid}/task/${id}`),
  )
  return (
    threads.reduce((sum, thread) => sum + Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]), 0) / 1e6
  )
}
