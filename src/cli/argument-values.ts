import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import { isObject, type JsonRecord } from '../client/json.ts'
import { CliError } from './cli-error.ts'
import type { Surroundings } from './terminal.ts'

export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Wanted a whole number from 1.')
}

export function seconds(text: string): number {
  if (/^\d{1,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Wanted seconds, such as 0 or 86400.')
}

export function gather(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

export function readInput(file: string, { stdin }: Surroundings): Promise<string> {
  return file === '-' ? text(stdin) : readFile(file, 'utf8')
}

export function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const [, at = ''] = /(at position \d+(?: \(line \d+ column \d+\))?)/.exec(String(error)) ?? []
    throw new CliError('usage', `${what} is no JSON${at === '' ? '' : `: ${at}`}`)
  }
}

export function readObject(text: string, what: string): JsonRecord {
  const value = readJson(text, what)
  if (isObject(value)) return value
  throw new CliError('usage', `${what} is no JSON object`)
}
