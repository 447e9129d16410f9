import { pointerStep, type Problem } from '../../core/tool/problem.ts'
import { placeKey } from '../shared/credential.ts'
import type { HttpImplementation } from './implementation.ts'
import { bodyFieldSteps, unplacedInputs } from './default-places.ts'

/**
 * No two parts of an implementation write the same thing: servers would read such a request differently, and a caller
 * could shadow a credential. Inputs without a parameter write under their own names.
 */
export function namesAreUnique(implementation: HttpImplementation, inputs: ReadonlySet<string>): Problem[] {
  const { parameters, credentials } = implementation
  const problems: Problem[] = []
  const writers = new Map<string, string>()
  const write = (place: string, name: string, path: string) => {
    const key = placeKey({ in: place, name })
    const first = writers.get(key)
    if (first === undefined) writers.set(key, path)
    else problems.push(problem(path, `Must be written once, and '${first}' writes '${name}' in '${place}'`))
  }
  for (const [index, { in: place, name }] of credentials.entries()) {
    write(place, name, `/credentials/${index}/name`)
  }
  const basic = credentials.findIndex(({ in: place }) => place === 'basic')
  if (basic >= 0) write('header', 'authorization', `/credentials/${basic}`)
  for (const name of Object.keys(implementation.headers)) {
    if (writers.has(placeKey({ in: 'header', name }))) {
      problems.push(problem(`/headers${pointerStep(name)}`, `Must be left to the credential that writes '${name}'`))
    }
  }
  const fields: { readonly steps: readonly string[]; readonly path: string }[] = []
  for (const [index, each] of parameters.entries()) {
    const path = `/parameters/${index}/name`
    if (each.in === 'body') fields.push({ steps: bodyFieldSteps(implementation, each.name), path })
    else write(each.in, each.name, path)
  }
  const placeOf = unplacedInputs(implementation)
  for (const input of inputs) {
    const place = placeOf(input)
    if (place === 'body') fields.push({ steps: [input], path: '/parameters' })
    if (place === 'query') write('query', input, '/parameters')
  }
  return [...problems, ...nestedFields(fields)]
}

/** A field of the body cannot be a value and hold other fields. */
function nestedFields(fields: readonly { readonly steps: readonly string[]; readonly path: string }[]): Problem[] {
  return fields.flatMap(({ steps, path }, index) => {
    const clashes = fields
      .slice(0, index)
      .some((other) => steps.slice(0, other.steps.length).every((step, at) => step === other.steps[at]))
    return clashes ? [problem(path, `Must be written once, got '${steps.join('/')}' again`)] : []
  })
}

function problem(path: string, message: string): Problem {
  return { path, message }
}
