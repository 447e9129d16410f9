import { createBudget } from '../../../src/core/tool/budget.ts'
import type { Credential, Invocation } from '../../../src/core/call/invocation.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import type { RunContext } from '../../../src/core/call/runner.ts'
import type { Definition, Implementation, ToolRecord } from '../../../src/core/tool/tool.ts'
import { NO_REQUIREMENTS } from '../../../src/core/tool/tool.ts'
import { checkHttpImplementation } from '../../../src/runners/http/publication-rules.ts'
import type { HttpImplementation } from '../../../src/runners/http/implementation.ts'

/** A definition with these inputs (of any type), secrets and providers. */
export function definitionWith(
  inputs: readonly string[],
  needs: { secrets?: readonly string[]; providers?: readonly string[]; annotations?: Definition['annotations'] } = {},
): Definition {
  return {
    toolkit: 'Example',
    tool: 'Tool',
    version: '1.0.0',
    name: 'Example_Tool',
    description: 'An example',
    input: { type: 'object', properties: Object.fromEntries(inputs.map((name) => [name, {}])) },
    output: {},
    requirements: {
      ...NO_REQUIREMENTS,
      secrets: (needs.secrets ?? []).map((id) => ({ id })),
      authorization: (needs.providers ?? []).map((id) => ({ id })),
    },
    ...(needs.annotations === undefined ? {} : { annotations: needs.annotations }),
    tags: [],
  }
}

export function recordOf(
  definition: Definition,
  implementation: Implementation,
): ToolRecord & { readonly implementation: Implementation } {
  return {
    ...definition,
    id: `${definition.toolkit}.${definition.tool}@${definition.version}`,
    securityLevel: 0,
    source: { dialect: 'oxp', document: {} },
    digest: '',
    implementation,
  }
}

/** The implementation with its defaults, or an error that lists its problems. */
export function checkedHttp(implementation: Implementation, definition: Definition): HttpImplementation {
  const checked = checkHttpImplementation(implementation, definition)
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems, null, 2))
  return checked.value
}

type Values = Readonly<Record<string, string | Credential>>

export interface Given {
  readonly secrets?: Values
  readonly tokens?: Values
  readonly signal?: AbortSignal
  readonly traceparent?: string
  readonly renew?: RunContext['renew']
}

/** Creates an invocation with an input and these credentials. */
export function invocationWith(input: JsonObject, { secrets = {}, tokens = {} }: Given = {}): Invocation {
  return {
    input,
    userId: undefined,
    userInfo: undefined,
    method: undefined,
    answers: undefined,
    secrets: credentials(secrets),
    tokens: credentials(tokens),
    files: undefined,
  }
}

export function contextWith(given: Given = {}): RunContext {
  return {
    callId: 'call',
    principal: 'admin',
    budget: createBudget(Infinity),
    deadline: { signal: given.signal ?? new AbortController().signal },
    ...(given.renew ? { renew: given.renew } : {}),
    ...(given.traceparent === undefined ? {} : { traceparent: given.traceparent }),
  }
}

function credentials(values: Values): ReadonlyMap<string, Credential> {
  return new Map(
    Object.entries(values).map(([id, value]) => [
      id,
      typeof value === 'string' ? { value, from: 'deployment' as const } : value,
    ]),
  )
}
