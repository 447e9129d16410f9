import { isJsonObject } from '../tool/json.ts'
import { getDisplayTitle, type Definition } from '../tool/tool.ts'
import { fnv1a } from '../tool/tool-id.ts'
import { stemText } from './words.ts'

const MAX_CHARACTERS = 1_000
/** Later words of a description often differ between releases of an API, such as URLs of its documentation. */
const MAX_WORDS = 15
/** With fewer different words, such as "Search" with a `query`, tools of unrelated services could match. */
const MIN_WORDS = 6

/**
 * Returns the same hash for tools of several toolkits that are one operation: with the same name, and the same words in the
 * title, the beginning of the description and the parameters' names. Empty if there are too few words.
 */
export function hashOperation(definition: Definition): string {
  const { tool, description, input } = definition
  const title = stemText((getDisplayTitle(definition) ?? '').slice(0, MAX_CHARACTERS))
  const begin = stemText(description.slice(0, MAX_CHARACTERS)).split(' ').slice(0, MAX_WORDS)
  const parameters = Object.keys(isJsonObject(input.properties) ? input.properties : {}).toSorted()
  const words = [...stemText(`${tool} ${parameters.join(' ')}`).split(' '), ...title.split(' '), ...begin]
  if (new Set(words).size < MIN_WORDS) return ''
  return fnv1a([tool.toLowerCase(), title, begin.join(' '), parameters.join(' ')].join('\n'))
}
