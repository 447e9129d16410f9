import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../../core/call/runner.ts'
import type { Json } from '../../core/tool/json.ts'
import {
  boolean,
  check,
  integer,
  into,
  judged,
  list,
  nullish,
  object,
  oneOf,
  optional,
  string,
  wrong,
} from '../../core/tool/json-reader.ts'
import type { Checked } from '../../core/tool/problem.ts'
import type { Definition } from '../../core/tool/tool.ts'
import {
  type CredentialPlacement,
  placedOnce,
  PLACEMENT_FIELDS,
  placementOf,
  withSource,
} from '../shared/credential.ts'
import { headerNameProblem } from '../shared/header-rules.ts'
import { parseUrlTemplate, variableNames } from '../shared/url-template.ts'

export const PROTOCOLS = ['mcp', 'oxp'] as const
export type Protocol = (typeof PROTOCOLS)[number]

/** A `remote` implementation with its defaults filled in: one tool of another server. */
export interface RemoteImplementation {
  readonly kind: 'remote'
  readonly protocol: Protocol
  /** An MCP server's endpoint, or the URL that an OXP server's `/tools` and `/tools/call` begin with. */
  readonly url: string
  /** What the other server calls the tool: an MCP tool's name, or an OXP tool's id. */
  readonly tool: string
  /** Where the tool's secrets and tokens go in every request to the server. */
  readonly credentials: readonly CredentialPlacement<'header' | 'query'>[]
  /** Whether an OXP server is told for which user the call is. */
  readonly pass_user: boolean
  readonly timeout_ms: number
}

/** Headers that the protocols write themselves. */
const PROTOCOL_HEADERS = /^(?:accept|content-type|cookie|last-event-id|mcp-.*|oxp-version|traceparent|user-agent)$/i

const CREDENTIAL = into(object({ ...PLACEMENT_FIELDS, in: oneOf(['header', 'query']) }), placementOf)

/**
 * Checks a `remote` implementation as it is published with `definition`. Gives it with defaults filled in, or every
 * problem, with pointers that start at the implementation.
 */
export function checkRemoteImplementation(
  implementation: Json,
  { requirements }: Pick<Definition, 'requirements'>,
): Checked<RemoteImplementation> {
  const reader = object(
    {
      kind: oneOf(['remote']),
      protocol: oneOf(PROTOCOLS),
      url: judged(string({ least: 1 }), whyNoServer),
      tool: string({ least: 1 }),
      credentials: optional(list(withSource(placedOnce(CREDENTIAL, requirements, headerProblem))), []),
      pass_user: nullish(boolean, false),
      timeout_ms: nullish(integer(1, MAX_TIMEOUT_MS), DEFAULT_TIMEOUT_MS),
    },
    {
      rule({ protocol, pass_user }, report) {
        if (pass_user && protocol === 'mcp') wrong(report, 'Must be false: MCP has no place for a user', '/pass_user')
      },
    },
  )
  return check(reader, implementation)
}

/** Why a URL is no server's, or undefined: it names one place, and nothing of a call changes it. */
function whyNoServer(url: string): string | undefined {
  const template = parseUrlTemplate(url)
  if ('problem' in template) return template.problem
  const [variable] = variableNames([...template.authority, ...template.path, ...(template.query ?? [])])
  if (variable !== undefined) return `Must be a URL without variables, got '{${variable}}'`
  return URL.canParse(url) ? undefined : 'Must be a valid URL'
}

function headerProblem(name: string): string | undefined {
  const refused = headerNameProblem(name)
  if (refused !== undefined) return refused
  return PROTOCOL_HEADERS.test(name) ? `Must not be '${name}', which the protocol writes itself` : undefined
}
