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
  const readersByName = new Map<string, Reader<string> | undefined>(Object.entries(readers))
  const parameters = path
    .split('/')
    .flatMap((step, index) => (step.startsWith(':') ? [{ name: step.slice(1), index }] : []))
  const isComplete = (values: Readonly<Record<string, string>>): values is PathParameters<Path> =>
    Object.keys(values).length === parameters.length
  const noParameters = {}
  if (isComplete(noParameters)) return (): Result<PathParameters<Path>> => ok(noParameters)

  return (url: string): Result<PathParameters<Path>> => {
    const steps = new URL(url).pathname.split('/')
    const values: Record<string, string> = {}
    const problems: Problem[] = []
    for (const { name, index } of parameters) {
      const decodedSegment = decodeSegment(steps[index] ?? '')
      if (!decodedSegment.ok) return decodedSegment
      const reader = readersByName.get(name)
      const result = reader && parseValue(reader, decodedSegment.value)
      if (result?.ok === false) problems.push(...result.problems.map((problem) => ({ ...problem, path: `/${name}` })))
      values[name] = decodedSegment.value
    }
    if (problems.length > 0 || !isComplete(values)) return malformedRequestFailure(problems, 'the path')
    return ok(values)
  }
}

export function pathSegment(url: string, index: number): Result<string> {
  return decodeSegment(new URL(url).pathname.split('/')[index] ?? '')
}

/** Routers let malformed percent-encoding (RFC 3986, section 2.1) through. */
function decodeSegment(segment: string): Result<string> {
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
