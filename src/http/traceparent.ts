/** Whether a text is a `traceparent` (W3C Trace Context, section 3.2). */
export function isTraceparent(text: string): boolean {
  return /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(text)
}
