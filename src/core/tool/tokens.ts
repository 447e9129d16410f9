import { BytePairEncodingCore, type RawBytePairRanks } from 'gpt-tokenizer/BytePairEncodingCore'
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'
import { createYielder, type YieldControl } from './budget.ts'

/** Each token of `o200k_base` at the index of its rank: its text, or its bytes if they are not text. */
export type TokenRanks = RawBytePairRanks

/** Counts the tokens of a text. Throws a `RangeError` if it has more than `MAX_TOKEN_TEXT_CHARACTERS`. */
export type CountTokens = (text: string) => number

/** Random letters of this length take 1 to 4 seconds, typical JSON 0.1 seconds. A definition has a quarter of this length. */
export const MAX_TOKEN_TEXT_CHARACTERS = 1024 * 1024

/** The library's time is quadratic in a run's length, and V8's stack overflows if a pattern matches millions of letters. */
const MAX_RUN_CHARACTERS = 512
const SPLIT_PATTERN = new RegExp(
  O200K_TOKEN_SPLIT_REGEX.source.replaceAll(
    /(?<=\]|\\s)[*+]/g,
    (quantifier) => `{${quantifier === '*' ? 0 : 1},${MAX_RUN_CHARACTERS}}`,
  ),
  'gu',
)
/** For words of several tokens, such as parameter names. */
const MAX_CACHED_WORDS = 1_000

/**
 * Creates a function that counts the tokens of `o200k_base`, which OpenAI's models use since GPT-4o. Other models count
 * somewhat differently. The names of special tokens, such as `<|endoftext|>`, count as plain text.
 *
 * Counts are exact, with two exceptions. A run of more than 512 letters, spaces or signs is split into parts of 512, each of
 * which can count as one token more or less. A U+FEFF can count as one token more.
 *
 * Takes 80 ms. The function holds 15 MB, so keep only a weak reference to it.
 */
export function createTokenCounter(ranks: TokenRanks): CountTokens {
  const encoding = new BytePairEncodingCore({
    bytePairRankDecoder: ranks,
    tokenSplitRegex: SPLIT_PATTERN,
    mergeCacheSize: MAX_CACHED_WORDS,
  })
  return (text) => {
    if (text.length <= MAX_TOKEN_TEXT_CHARACTERS) return encoding.countNative(text)
    throw new RangeError(`A text has ${text.length} characters: at most ${MAX_TOKEN_TEXT_CHARACTERS} are counted`)
  }
}

export interface ListTokens {
  /** In the order of the list. */
  readonly tools: readonly number[]
  readonly total: number
}

/**
 * Counts the tokens that the tools of a list add to the context of a model. Takes the JSON text of each tool, as in MCP's
 * `tools/list`. Clients may present tools to their models differently, so a bill can differ.
 */
export async function countListTokens(
  tools: readonly string[],
  countTokens: CountTokens,
  yieldControl: YieldControl,
): Promise<ListTokens> {
  let total = 0
  let characters = 0
  const counts: number[] = []
  const yieldSometimes = createYielder(() => characters, yieldControl)
  for (const tool of tools) {
    const count = countTokens(tool)
    counts.push(count)
    total += count
    characters += tool.length
    await yieldSometimes()
  }
  return { tools: counts, total }
}
