import { RATE } from '../access/call-limits.ts'
import { identifier } from '../call/call-options.ts'
import { checkSchema } from '../schema/publishable.ts'
import { isObject } from '../tool/json.ts'
import * as json from '../tool/json-reader.ts'
import { parseToolId } from '../tool/tool-id.ts'

/** How the sender of a webhook authenticates. */
export const SIGNATURE_SCHEMES = ['standard-webhooks', 'github', 'stripe', 'slack', 'shared-secret'] as const
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number]

const SCHEMA = json.transform(json.anyObject, (schema, report) => {
  const [problem] = checkSchema(schema, { references: 'local' })
  return problem ? json.addProblem(report, problem.message, problem.path) : schema
})
const describe = json.withSchemaDescription
const COMMON = {
  description: json.optional(describe('Meaning of the events, for models', json.string({ min: 1, max: 1_000 }))),
  payload_schema: json.optional(describe("JSON Schema of an event's data, for models", SCHEMA), { type: 'object' }),
  // From level 8 on, a person would have to approve each call
  security_level: json.optional(describe('Security level, as for tools; 1 by default', json.integer(0, 7)), 1),
  user_id: json.optional(describe('User that subscribers must be able to act for', identifier)),
}
const SECRET = json.stringMatching("a Worker secret's name", /^[A-Za-z_]\w{0,127}$/)
const HEADER = json.stringMatching("a header's name", /^[A-Za-z0-9-]{1,100}$/)
const TIME_ZONE = json.stringMatching('an IANA time zone', isTimeZone, 100)
const TOOL = json.stringMatching("a tool such as 'Gmail.ListEmails'", (text) => parseToolId(text) !== undefined)

export const EVENT_SOURCE_KINDS = {
  webhook: json.object({
    ...COMMON,
    kind: json.enumReader(['webhook']),
    signature: describe('How the sender authenticates', json.enumReader(SIGNATURE_SCHEMES)),
    header: json.optional(describe('Header that contains the shared secret', HEADER), 'X-Webhook-Secret'),
    secret_name: describe('Name of the Worker secret that contains the signing secret', SECRET),
    rate: json.optional(describe('Rate limit; 600 per minute by default', RATE), {
      calls: 600,
      seconds: 60,
    }),
  }),
  schedule: json.object({
    ...COMMON,
    kind: json.enumReader(['schedule']),
    cron: describe('Minute, hour, day, month and weekday', json.string({ max: 100 })),
    time_zone: json.optional(describe('An IANA time zone', TIME_ZONE), 'UTC'),
  }),
  poll: json.object({
    ...COMMON,
    kind: json.enumReader(['poll']),
    tool: describe('Tool to poll: a change of its output is an event', TOOL),
    arguments: json.optional(describe('Input of the tool', json.anyObject), {}),
    select: json.optional(describe('JMESPath: part of the output to compare', json.string({ min: 1, max: 1_000 }))),
    every_minutes: describe('Minutes between calls', json.integer(1, 10_080)),
    key_id: describe('Id of the API key that calls the tool', identifier),
  }),
}
const KIND = json.enumReader(['webhook', 'schedule', 'poll'])

export type WebhookSettings = json.InferOutput<typeof EVENT_SOURCE_KINDS.webhook>
export type ScheduleSettings = json.InferOutput<typeof EVENT_SOURCE_KINDS.schedule>
export type PollSettings = json.InferOutput<typeof EVENT_SOURCE_KINDS.poll>
export type EventSourceSettings = WebhookSettings | ScheduleSettings | PollSettings
/** The id looks like a tool's name, such as `GitHub.Push`, so the tool patterns of credentials cover it. */
export type EventSource = EventSourceSettings & { readonly id: string }

/** `findSettingsProblem` checks the schedule, expression, key and secret. */
export const EVENT_SOURCE: json.Reader<EventSourceSettings> = json.withSchema(
  () => ({ anyOf: Object.values(EVENT_SOURCE_KINDS).map(json.toJsonSchema) }),
  (body, report): EventSourceSettings | typeof json.INVALID_VALUE => {
    const kind = json.readAt('kind', KIND, isObject(body) ? body['kind'] : undefined, report)
    return kind === json.INVALID_VALUE ? kind : EVENT_SOURCE_KINDS[kind](body, report)
  },
)

/** When a source last ran, in milliseconds since 1970, and the digest of the output that a poll found. */
export interface SourceRun {
  readonly at: number
  readonly digest: string | null
}

function isTimeZone(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }))
  } catch {
    return false
  }
}
