/** Lets the process handle other events: requests, and with `npm run serve` also KV and the Durable Objects. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((done) => setTimeout(done, 0))
}
