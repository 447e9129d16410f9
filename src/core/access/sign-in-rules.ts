import {
  transform,
  array,
  object,
  enumReader,
  optional,
  type InferOutput,
  stringMatching,
  addProblem,
} from '../tool/json-reader.ts'
import { toolPattern } from '../tool/tool-id.ts'
import { emailDomain, type Person } from './person.ts'
import { hasScope, type Principal, type Scope, SCOPES } from './principal.ts'

export type AccessRights = Pick<Principal, 'scopes' | 'tools'>

const MAX_RULES = 1_000
const DEFAULT_SCOPES: readonly Scope[] = ['tools:read', 'tools:call']
const TOOLKIT = stringMatching("a toolkit's name, such as 'Gmail'", /^[A-Za-z0-9_-]{1,64}$/)
const RULE_FIELDS = object(
  {
    domain: optional(
      stringMatching("a domain in lower case, such as 'acme.com'", /^(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/),
    ),
    address: optional(
      stringMatching("an e-mail address in lower case, such as 'ann@acme.com'", /^[^\s@A-Z]{1,64}@[a-z0-9.-]{3,190}$/),
    ),
    group: optional(stringMatching('a group of 1 to 256 characters', /^.{1,256}$/su)),
    scopes: optional(array(enumReader(SCOPES)), DEFAULT_SCOPES),
    tools: optional(array(toolPattern)),
    toolkits: optional(array(TOOLKIT)),
  },
  {
    rule({ domain, address, group }, report, source) {
      const isNamed = [domain, address, group].some((condition) => condition !== undefined)
      const isMentioned = ['domain', 'address', 'group'].some((name) => source[name] !== undefined)
      if (!isNamed && !isMentioned) addProblem(report, "Must say whom it is for: wanted 'domain', 'address' or 'group'")
    },
  },
)
const RULE = transform(RULE_FIELDS, ({ tools, toolkits, ...rule }) => {
  const listedPatterns = [...(tools ?? []), ...(toolkits ?? []).map((toolkit) => `${toolkit}.*`)]
  const patterns: readonly string[] = tools || toolkits ? listedPatterns : ['*']
  return { ...rule, tools: patterns }
})

/** Grants rights to people who meet all of its conditions, based on a verified e-mail address. */
export type SignInRule = InferOutput<typeof RULE>

/** A rule grants `tools:read` and `tools:call` by default, and all tools if it names no tools or toolkits. */
export const signInRules = array(RULE, { max: MAX_RULES })

/** Grants each scope only for the tools of the rules that grant the scope, so that rights of different rules do not mix. */
export function resolveRights(person: Person, rules: readonly SignInRule[]): AccessRights | undefined {
  const matching = rules.filter((rule) => matches(rule, person))
  if (matching.length === 0) return undefined
  const scopes = SCOPES.filter((scope) => matching.some((rule) => rule.scopes.includes(scope)))
  const tools = listPatterns(matching)
  const rulesFor = (scope: Scope) => matching.filter((rule) => hasScope(rule, scope))
  const byScope = (scopes.includes('admin') ? SCOPES : scopes).map(
    (scope) => [scope, listPatterns(rulesFor(scope))] as const,
  )
  if (byScope.every(([, patterns]) => patterns.length === tools.length)) return { scopes, tools }
  return { scopes, tools: Object.fromEntries(byScope) }
}

function matches({ domain, address, group }: SignInRule, person: Person): boolean {
  if (domain === undefined && address === undefined && group === undefined) return false
  if (address !== undefined && person.address !== address) return false
  if (domain !== undefined && (person.address === undefined || emailDomain(person.address) !== domain)) return false
  return group === undefined || person.groups.includes(group)
}

function listPatterns(rules: readonly SignInRule[]): readonly string[] {
  return [...new Set(rules.flatMap(({ tools }) => tools))]
}
