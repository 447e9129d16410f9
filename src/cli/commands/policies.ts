import { SwitchboardError } from '../../client/index.ts'
import { getText, isObject, type JsonRecord, listObjects, tryParseJson } from '../../client/json.ts'
import { collectOption, readObject, parseIntegerOption } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import { type AddCommands, type CliSession, YES } from '../context.ts'
import type { Columns } from '../table.ts'
import { addListing } from './listings.ts'

const COLUMNS: Columns = {
  Tools: 'pattern',
  Rules: (policy) => ({ ...policy, pattern: undefined, warnings: undefined }),
}

export const addPolicies: AddCommands = (program, open) => {
  const policies = program
    .command('policies')
    .description('rules for the tools that patterns cover, for administrators')
  addListing(policies, open, {
    name: 'list',
    description: 'list policies (default)',
    path: '/policies',
    columns: COLUMNS,
    isDefault: true,
  })
  policies
    .command('set')
    .description('add rules to a policy, or change them; its other rules stay')
    .argument('<pattern>', "the tools, such as Gmail.*, '*' or Gmail.Send")
    .option('--security-level <level>', 'minimum security level, from 1 to 10', parseIntegerOption)
    .option('--approval', 'a person approves each call')
    .option('--timeout <seconds>', 'timeout of a call', parseIntegerOption)
    .option('--limits <json>', 'such as {"rate": {"calls": 60, "seconds": 60}, "concurrency": 4}')
    .option('--secret <name>', 'a secret that the tools can use; can be repeated', collectOption)
    .option('--review', 'versions that are not published by an administrator wait for review')
    .action(async (pattern, options) => {
      const { securityLevel: security_level, approval, timeout, limits, secret: secrets, review } = options
      const rules = {
        security_level,
        approval,
        timeout_ms: timeout === undefined ? undefined : timeout * 1_000,
        limits: limits === undefined ? undefined : readObject(limits, '--limits'),
        secrets,
        review,
      }
      const givenRules = Object.entries(rules).filter(([, rule]) => rule !== undefined)
      if (givenRules.length === 0)
        throw new CliError('usage', 'Give at least one rule', 'switchboard policies set --help')
      // This command's --timeout is the policy's
      const session = open({ ...options, timeout: undefined })
      const { connection, terminal, signal } = session
      const { policy, headers } = await loadPolicy(session, pattern).catch((error: unknown) => {
        if (error instanceof SwitchboardError && error.code === 'not_found') return { policy: {}, headers: {} }
        throw error
      })
      const json = { ...policy, ...Object.fromEntries(givenRules), pattern: undefined }
      const updatedPolicy: JsonRecord = await connection.sendJson({
        method: 'PUT',
        path: buildPath(pattern),
        json,
        headers,
        signal,
      })
      terminal.emit(updatedPolicy, () => {
        terminal.table(COLUMNS)([updatedPolicy])
        for (const warning of listObjects(updatedPolicy, 'warnings'))
          terminal.note(['yellow', getText(warning, 'message') ?? ''])
      })
    })
  policies
    .command('remove <pattern>')
    .description('remove a policy')
    .addOption(YES)
    .action((pattern, options) => removePolicy(open(options), pattern))
}

async function removePolicy(session: CliSession, pattern: string): Promise<void> {
  const { connection, terminal, signal } = session
  const { policy, headers } = await loadPolicy(session, pattern)
  if (!terminal.json) terminal.table(COLUMNS)([policy])
  await terminal.confirm(`This removes the policy '${pattern}'. Continue?`)
  const path = buildPath(pattern)
  await connection.send({ method: 'DELETE', path, headers, signal, read: async () => undefined })
  terminal.emit({ pattern, removed: true }, () => terminal.note(['green', '✓'], ` The policy '${pattern}' is removed`))
}

/** With the `If-Match` header, so that a change fails if the policy was changed in the meantime. */
function loadPolicy({ connection, signal }: CliSession, pattern: string) {
  return connection.send<{ readonly policy: JsonRecord; readonly headers: Readonly<Record<string, string>> }>({
    path: buildPath(pattern),
    signal,
    async read(response) {
      const policy = tryParseJson(await response.text())
      const revision = response.headers.get('etag')
      if (!isObject(policy) || revision === null)
        throw new SwitchboardError('answer_invalid', 'The server is not a Switchboard')
      return { policy, headers: { 'if-match': revision } }
    },
  })
}

function buildPath(pattern: string): string {
  return `/policies/${encodeURIComponent(pattern)}`
}
