/** Counts of a user's data, except grants, which only the user's vault counts. `keys`: API keys that name the user. */
export interface UserSummary {
  readonly user: string
  readonly sessions: number
  readonly agents: number
  readonly keys: number
  readonly mayHaveGrants: boolean
}

/** Users whose id contains `text`, in the order of their ids. */
export interface UserPageRequest {
  readonly after: string
  readonly text: string
  readonly limit: number
}

export interface UserList {
  list(page: UserPageRequest): Promise<readonly UserSummary[]>
  /** To be called when the user's vault has no grants. */
  forgetGrantHolder(user: string): Promise<void>
}
