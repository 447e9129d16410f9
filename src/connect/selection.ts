import type { ToolkitChoice } from '../core/catalog/choices.ts'
import { sha256 } from '../storage/sealing/sha256.ts'

type Choices = readonly ToolkitChoice[]
type Names = ReadonlySet<string>

/**
 * The form shows only part of the toolkits, so a hidden field has the selection of the others: a digit per toolkit, after a
 * digest of their names. Without the digest, digits for a different list would select the wrong toolkits.
 */
export async function encodeHiddenSelection(choices: Choices, chosen: Names, visibleChoices: Choices): Promise<string> {
  const onPage = new Set(visibleChoices)
  const digits = choices.map((choice) => (chosen.has(choice.toolkit) && !onPage.has(choice) ? '1' : '0'))
  return `${await computeDigest(choices)}.${digits.join('')}`
}

/** `isCurrent` is false if the toolkits have changed since the form was shown. */
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
