/** Replaces every occurrence of the sensitive texts, the longest first, so that no part of one is left over. */
export function redact(text: string, sensitive: readonly string[]): string {
  return sensitive
    .filter((each) => each !== '')
    .toSorted((a, b) => b.length - a.length)
    .reduce((redacted, each) => redacted.replaceAll(each, () => '[redacted]'), text)
}
