import type { ToolkitChoice } from '../core/catalog/choices.ts'
import { sha256 } from '../storage/sealing/sha256.ts'

type Choices = readonly ToolkitChoice[]
type Names = ReadonlySet<string>

/**
 * The form shows a part of the toolkits, so one hidden field holds which of the others are selected: a digit for each
 * toolkit, behind a digest of their names, without which digits of another list would select other toolkits.
 */
export async function encodeHiddenSelection(choices: Choices, chosen: Names, visibleChoices: Choices): Promise<string> {
  const onPage = new Set(visibleChoices)
  const digits = choices.map((choice) => (chosen.has(choice.toolkit) && !onPage.has(choice) ? '1' : '0'))
  return `${await computeDigest(choices)}.${digits.join('')}`
}

/** `isCurrent` is false where the toolkits are no longer those of which the form shows a part. */
export async function parseSelection(form: URLSearchParams, choices: Choices) {
  const others = form.get('others') ?? ''
  const [digest, digits = ''] = others.split('.')
  const isCurrent = others === '' || digest === (await computeDigest(choices))
  const chosen = choices.filter(
    ({ toolkit }, index) => form.has(`toolkit.${toolkit}`) || (isCurrent && digits[index] === '1'),
  )
  return { chosen: new Set(chosen.map(({ toolkit }) => toolkit)), isCurrent }
}

function computeDigest(choices: Choices): Promise<string> {
  return sha256(choices.map(({ toolkit }) => toolkit).join(' '))
}
