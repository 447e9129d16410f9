/** Asks a second time when the Durable Object was moved or deployed again under the first: nothing that it stored is lost. */
export async function twiceIfMoved<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Error && 'retryable' in error && error.retryable === true) return ask()
    throw error
  }
}
