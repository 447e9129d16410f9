import type { Command } from 'commander'
import { type CallResult, type Challenge, SwitchboardError, type ToolProgress } from '../../client/index.ts'
import { formatJson, isObject, type JsonRecord, parseJson } from '../../client/json.ts'
import { collectOption, readInputFile, readObject } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import { showLink } from './authorize.ts'
import { addRemoval } from './removal.ts'
import type { AddCommands, CliSession, Open } from '../context.ts'

export const addCall: AddCommands = (program, open) => {
  program
    .command('call')
    .description('call a tool')
    .argument('<tool>', 'its id, with or without a version or range, or its name')
    .option('--input <json>', "its input as a JSON object; '-' reads standard input")
    .option('--field <name=value>', 'one parameter; can be repeated', collectOption)
    .option('--user <user>', 'the user it acts for')
    .option('--select <expression>', 'only this part of the output, in JMESPath, such as items[].name')
    .option('--call-id <id>', 'your own id for the call; a repeated call with it runs only once')
    .option('--no-open', 'print the link that a person must open, without opening it')
    .option('--wait', 'wait for the person even without a terminal')
    .option('--no-wait', 'print the link and exit without waiting')
    .option('--async', "print the call id and exit; 'calls wait' prints the result")
    .action(async (tool, options) => {
      const session = open(options)
      const { client, terminal, signal, waitSignal, timeoutMs } = session
      const startedAt = Date.now()
      const input = await readCallInput(session, tool, options)
      if (options.async) {
        const { callId, status } = await client.callAsync(tool, input, { ...options, timeout: timeoutMs, signal })
        return terminal.emit({ call_id: callId, status }, () => terminal.write(callId))
      }
      const mayWait = options.wait ?? terminal.isInteractive
      const result = await terminal.withProgress(`Calling ${tool}`, (update) => {
        const onProgress = ({ progress, total, message }: ToolProgress) =>
          update(message ?? `${progress}`, progress, total)
        const waitForAuthorization = async (challenges: readonly Challenge[]) => {
          for (const challenge of challenges) await showLink(session, challenge, options.open)
          update('Waiting until it is done')
        }
        return client.call(tool, input, {
          // In a terminal, the time limit does not include the wait for a person
          signal: terminal.isInteractive ? signal : waitSignal,
          select: options.select,
          callId: options.callId,
          timeout: timeoutMs && Math.max(1, timeoutMs - (Date.now() - startedAt)),
          ...(terminal.isInteractive ? { onProgress } : {}),
          ...(mayWait ? { waitForAuthorization } : {}),
        })
      })
      printResult(session, result)
    })
}

function printResult({ terminal }: CliSession, { callId, value, note }: CallResult): void {
  terminal.emit({ call_id: callId, value, note }, () => {
    if (note !== undefined) terminal.note(['yellow', note])
    terminal.write(typeof value === 'string' ? value : (formatJson(value, 2) ?? 'null'))
  })
}

export function addAsyncCalls(calls: Command, open: Open): void {
  calls
    .command('wait')
    .description("wait for a call started by 'call --async', and print its result")
    .argument('<id>', 'the call id')
    // The id may start with a dash
    .allowUnknownOption()
    .action(async (id, options) => {
      const session = open(options)
      const { client, terminal, waitSignal: signal } = session
      const printedLinks = new Set<string>()
      const result = await terminal.withProgress('Waiting for the call', (update) =>
        client.wait(id, {
          signal,
          onState({ message, links }) {
            if (message !== undefined) update(message)
            for (const link of links) if (!printedLinks.has(link)) terminal.note(`${message}:\n  ${link}`)
            links.forEach((link) => printedLinks.add(link))
          },
        }),
      )
      printResult(session, result)
    })
  addRemoval(calls, open, '/calls', {
    verb: 'cancel',
    argument: 'id',
    description: "cancel a call started by 'call --async'",
  })
}

interface InputOptions {
  readonly input?: string
  readonly field?: readonly string[]
}

async function readCallInput(session: CliSession, tool: string, { input, field }: InputOptions) {
  if (input !== undefined && field !== undefined) throw new CliError('usage', 'Use either --input or --field')
  if (input !== undefined)
    return readObject(input === '-' ? await readInputFile('-', session.surroundings) : input, 'The input')
  if (field === undefined) return {}
  const types = await loadFieldTypes(session, tool)
  const pairs = field.map((pair): [string, unknown] => {
    const separator = pair.indexOf('=')
    if (separator < 1) throw new CliError('usage', `Cannot read --field '${pair}': wanted 'name=value'`)
    const name = pair.slice(0, separator)
    return [name, parseFieldValue(pair.slice(separator + 1), types[name])]
  })
  return Object.fromEntries(pairs)
}

async function loadFieldTypes({ client }: CliSession, tool: string): Promise<JsonRecord> {
  try {
    const { properties } = (await client.show(tool)).input_schema.parameters
    const entries = Object.entries(isObject(properties) ? properties : {})
    return Object.fromEntries(entries.map(([name, schema]) => [name, isObject(schema) ? schema['type'] : undefined]))
  } catch (error) {
    if (error instanceof SwitchboardError && (error.code === 'timed_out' || error.code === 'cancelled')) throw error
    return {}
  }
}

function parseFieldValue(text: string, type: unknown): unknown {
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'))
  if (isText) return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
