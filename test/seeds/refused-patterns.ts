/** JSON Schema patterns without linear-time matching: look-around, back-references and large nested counts. */
export const REFUSED_PATTERNS = ['^(?!admin)', '(?<=a)b', '(a)\\1', '(?<n>a)\\k<n>', '((a|b){4}){1,2000}']

/** A schema of an object that names each of these, as a pattern of a value and of names. */
export const WITH_REFUSED_PATTERNS = {
  type: 'object',
  properties: Object.fromEntries(REFUSED_PATTERNS.map((pattern, index) => [`p${index}`, { type: 'string', pattern }])),
  patternProperties: Object.fromEntries(REFUSED_PATTERNS.map((pattern) => [pattern, { type: 'string' }])),
}

/** Lists the places at which such a schema's patterns are refused, in alphabetical order. */
export function refusedPlaces(schema: string): string[] {
  const pointerStep = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')
  return [
    ...REFUSED_PATTERNS.map((_, index) => `${schema}/properties/p${index}/pattern`),
    ...REFUSED_PATTERNS.map((pattern) => `${schema}/patternProperties/${pointerStep(pattern)}`),
  ].toSorted()
}
