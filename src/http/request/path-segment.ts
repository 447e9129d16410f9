import { malformedRequestFailure } from '../../core/call/call-options.ts'
import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import { parseValue, type Reader } from '../../core/tool/json-reader.ts'
import type { Problem } from '../../core/tool/problem.ts'

export type PathParameters<Path extends string> = Readonly<Record<ParameterName<Path>, string>>
export type PathReaders<Path extends string> = { readonly [Name in ParameterName<Path>]?: Reader<string> }

type ParameterName<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParameterName<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never

export function pathReader<Path extends string>(path: Path, readers: PathReaders<Path> = {}) {
  const named = new Map<string, Reader<string> | undefined>(Object.entries(readers))
  const parameters = path
    .split('/')
    .flatMap((step, index) => (step.startsWith(':') ? [{ name: step.slice(1), index }] : []))
  const isWhole = (read: Readonly<Record<string, string>>): read is PathParameters<Path> =>
    Object.keys(read).length === parameters.length
  const none = {}
  if (isWhole(none)) return (): Result<PathParameters<Path>> => ok(none)

  return (url: string): Result<PathParameters<Path>> => {
    const steps = new URL(url).pathname.split('/')
    const read: Record<string, string> = {}
    const problems: Problem[] = []
    for (const { name, index } of parameters) {
      const text = decoded(steps[index] ?? '')
      if (!text.ok) return text
      const reader = named.get(name)
      const checked = reader && parseValue(reader, text.value)
      if (checked?.ok === false) problems.push(...checked.problems.map((each) => ({ ...each, path: `/${name}` })))
      read[name] = text.value
    }
    if (problems.length > 0 || !isWhole(read)) return malformedRequestFailure(problems, 'the path')
    return ok(read)
  }
}

export function pathSegment(url: string, index: number): Result<string> {
  return decoded(new URL(url).pathname.split('/')[index] ?? '')
}

/** Routers let malformed percent-encoding (RFC 3986, section 2.1) through. */
function decoded(segment: string): Result<string> {
  try {
    return ok(decodeURIComponent(segment))
  } catch {
    return MALFORMED
  }
}

const MALFORMED: FailureResult = fail({
  type: 'request-malformed',
  message: 'Cannot read the path: its percent-encoding is malformed',
})
