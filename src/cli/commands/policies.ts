import { getText, listObjects } from '../../client/json.ts'
import { collectOption, readObject, parseIntegerOption, requireFields } from '../argument-values.ts'
import { type AddCommands, type CliSession, YES } from '../context.ts'
import type { Columns } from '../table.ts'
import { addGroup } from './listings.ts'
import { loadRevision, putChange } from './revision.ts'

const COLUMNS: Columns = {
  Tools: 'pattern',
  Rules: (policy) => ({ ...policy, pattern: undefined, warnings: undefined }),
}

export const addPolicies: AddCommands = (program, open) => {
  const description = 'rules for the tools that patterns cover, for administrators'
  const policies = addGroup(program, open, { name: 'policies', description, path: '/policies', columns: COLUMNS })
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
      const rules = requireFields({
        security_level,
        approval,
        timeout_ms: timeout === undefined ? undefined : timeout * 1_000,
        limits: limits === undefined ? undefined : readObject(limits, '--limits'),
        secrets,
        review,
      })
      // This command's --timeout is the policy's
      const session = open({ ...options, timeout: undefined })
      const { terminal } = session
      const updatedPolicy = await putChange(session, buildPath(pattern), { ...rules, pattern: undefined })
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
  const { document: policy, headers } = await loadRevision(session, buildPath(pattern))
  if (!terminal.json) terminal.table(COLUMNS)([policy])
  await terminal.confirm(`This removes the policy '${pattern}'. Continue?`)
  const path = buildPath(pattern)
  await connection.send({ method: 'DELETE', path, headers, signal, read: async () => undefined })
  terminal.emit({ pattern, removed: true }, () => terminal.note(['green', '✓'], ` The policy '${pattern}' is removed`))
}

function buildPath(pattern: string): string {
  return `/policies/${encodeURIComponent(pattern)}`
}
