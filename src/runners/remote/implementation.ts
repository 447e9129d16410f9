import type { Json } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { REMOTE_PROTOCOLS, parseRemoteTool } from '../../core/tool/remote-dialect.ts'
import type { Definition } from '../../core/tool/tool.ts'
import { rejectDuplicatePlacement, PLACEMENT_FIELDS, toPlacement, requireOneSource } from '../shared/credential.ts'
import { headerNameProblem } from '../shared/header-rules.ts'
import { timeoutMs } from '../shared/checked-runner.ts'
import { parseUrlTemplate, variableNames } from '../shared/url-template.ts'

export type RemoteImplementation = Extract<ReturnType<typeof checkRemoteImplementation>, { readonly ok: true }>['value']

const PROTOCOL_HEADERS = /^(?:accept|content-type|cookie|last-event-id|mcp-.*|oxp-version|traceparent|user-agent)$/i

const CREDENTIAL = json.transform(
  json.object({ ...PLACEMENT_FIELDS, in: json.enumReader(['header', 'query']) }),
  toPlacement,
)

export function checkRemoteImplementation(implementation: Json, { requirements }: Pick<Definition, 'requirements'>) {
  const reader = json.object(
    {
      kind: json.enumReader(['remote']),
      protocol: json.enumReader(REMOTE_PROTOCOLS),
      url: json.refine(json.string({ min: 1 }), whyNoServer),
      tool: json.string({ min: 1 }),
      credentials: json.optional(
        json.array(requireOneSource(rejectDuplicatePlacement(CREDENTIAL, requirements, headerProblem))),
        [],
      ),
      pass_user: json.nullish(json.boolean, false),
      timeout_ms: timeoutMs,
    },
    {
      rule({ protocol, pass_user, tool }, report) {
        if (pass_user && (protocol === 'mcp' || protocol === 'plugin'))
          json.addProblem(report, 'Must be false: the protocol has no place for a user', '/pass_user')
        const isNamedByParts = protocol === 'open-tool-calling' || protocol === 'machine-context'
        if (isNamedByParts && tool !== undefined && !parseRemoteTool(tool))
          json.addProblem(
            report,
            "Must be 'Toolkit.Tool' or 'Toolkit.Tool@version', in the server's own names",
            '/tool',
          )
      },
    },
  )
  return json.parseValue(reader, implementation)
}

/** Rejects variables, because a call must not change a server's URL. */
function whyNoServer(url: string): string | undefined {
  const template = parseUrlTemplate(url)
  if ('problem' in template) return template.problem
  const [variable] = variableNames([...template.authority, ...template.path, ...(template.query ?? [])])
  if (variable !== undefined) return `Must be a URL without variables, got '{${variable}}'`
  return URL.canParse(url) ? undefined : 'Must be a valid URL'
}

function headerProblem(name: string): string | undefined {
  const nameProblem = headerNameProblem(name)
  if (nameProblem !== undefined) return nameProblem
  return PROTOCOL_HEADERS.test(name) ? `Must not be '${name}', which the protocol writes itself` : undefined
}
