import { readQuestions, type Question } from './question.ts'

/**
 * Over the 339 tools of `catalogues/oxp-definitions.json`, by several people of whom none but the first knew the ranking. It was
 * tried with these, and its words chosen by what became of them.
 */
export const TRIED: readonly Question[] = readQuestions(`
what song is playing right now | Spotify.GetCurrentlyPlaying
skip ahead in the track I'm listening to | Spotify.AdjustPlaybackPosition
play some songs | Spotify.StartTracksPlaybackById
answer an email | Gmail.ReplyToEmail
forward this mail to a colleague | Gmail.ForwardEmail
put a label on a message in gmail | Gmail.ChangeEmailLabels
send an email to a customer | Resend.SendEmail
stop an email that is scheduled | Resend.CancelEmail
was my email delivered | Resend.GetEmail
accept a meeting invitation | GoogleCalendar.RespondToEvent
what is on my google calendar today | GoogleCalendar.ListEvents
remove an appointment from my google calendar | GoogleCalendar.DeleteEvent
which calendars do I have in outlook | MicrosoftOutlookCalendar.ListCalendars
find outlook events next week | MicrosoftOutlookCalendar.SearchEvents
who is on call | Pagerduty.ListOncalls
show open incidents | Pagerduty.ListIncidents
on-call schedules | Pagerduty.ListSchedules
notes of an incident | PagerdutyApi.ListIncidentNotes
move an issue to done in linear | Linear.TransitionIssueState
comment on a linear project | Linear.AddProjectComment
boards in jira | Jira.GetBoards
close a support ticket | Zendesk.MarkTicketSolved
reply on a zendesk ticket | Zendesk.AddTicketComment
read the conversation of a ticket | Zendesk.GetTicketComments
can this pull request be merged | Github.CheckPullRequestMergeStatus
commits in a PR | Github.ListPullRequestCommits
who starred my repository | Github.ListStargazers
branch review protection rules | GithubApi.GetPullRequestReviewProtection
invite people to a slack channel | Slack.InviteUsersToChannel
read messages of a slack channel | Slack.GetMessages
list my slack conversations | Slack.ListConversations
cancel a scheduled slack message | SlackApi.DeleteScheduledSlackMessage
change the name of an emoji | SlackApi.RenameSlackEmoji
find flights to Tokyo | GoogleFlights.SearchFlights
airport code for Munich | GoogleFlights.LookupAirports
plan a multi-city trip | GoogleFlights.SearchMultiCityFlights
find a hotel in Rome | GoogleHotels.SearchHotels
how do I get from one address to another | GoogleMaps.GetDirectionsBetweenAddresses
latest news about climate change | GoogleNews.SearchNewsStories
look for a job | GoogleJobs.SearchJobs
search the web | GoogleSearch.Search Brightdata.SearchEngine
stock price history | GoogleFinance.GetStockHistoricalData
current price of a stock | GoogleFinance.GetStockSummary
share a google drive file with someone | GoogleDrive.ShareFile
revoke everyone's access to a drive file | GoogleDrive.RemoveAllCollaborators
find a file in google drive | GoogleDrive.SearchFiles
make a new google doc | GoogleDocs.CreateBlankDocument GoogleDocs.CreateDocumentFromText
create a google doc from markdown | GoogleDocs.CreateDocumentFromText
edit a google spreadsheet | GoogleSheets.CreateOrEditSpreadsheet
build a deck from a template | GoogleSlides.CreatePresentationFromTemplate
whose phone number is this | GoogleContacts.SearchContactsByPhoneNumber
find a contact by mail address | GoogleContacts.SearchContactsByEmail
find a coworker in the company directory | GoogleContacts.SearchDirectoryPeople
download a file from dropbox | Dropbox.DownloadFile
what files are in a dropbox folder | Dropbox.ListItemsInFolder
run python code | E2b.RunCode E2b.CreateStaticMatplotlibChart
draw a chart | E2b.CreateStaticMatplotlibChart
scrape a web page | Firecrawl.ScrapeUrl Brightdata.ScrapeAsMarkdown
is my crawl finished | Firecrawl.GetCrawlStatus
turn a website into markdown | Brightdata.ScrapeAsMarkdown
company size and revenue from its domain | Apollo.EnrichOrganization
find people by job title | Apollo.SearchPeople
reject a job candidate | Ashby.ArchiveApplication
add a candidate | AshbyApi.CreateCandidate
schedule an interview | AshbyApi.CreateInterviewSchedule
candidate profile | Ashby.GetCandidate
book a meeting in hubspot | HubspotMeetingsApi.BookHubspotMeeting HubspotMeetingsApi.ScheduleMeetingHubspot
change when a deal will close | Hubspot.UpdateDealCloseDate
list hubspot contacts | Hubspot.ListContacts
log a note on a deal in hubspot | Hubspot.CreateNoteActivity
make a meme | Imgflip.CreateMeme
popular memes | Imgflip.GetPopularMemes
add a note to an intercom contact | IntercomApi.AddNoteToContact
recent articles in intercom | IntercomApi.ListRecentArticles
multiply numbers | Math.Multiply
round up a number | Math.Ceil
remainder of a division | Math.Mod
read cells of an excel sheet | MicrosoftExcel.ReadWorksheet
find excel files in onedrive | MicrosoftExcel.SearchWorkbooks
make a sharing link for a onedrive file | MicrosoftOnedrive.CreateShareLink
new folder in onedrive | MicrosoftOnedrive.CreateFolder
who is my manager | MicrosoftUsers.GetUserManager
who reports to her | MicrosoftUsers.GetDirectReports
append text to a word document | MicrosoftWord.InsertTextAtEnd
create a word document | MicrosoftWord.CreateDocument
speaker notes of a presentation | MicrosoftPowerpoint.GetAllSlideNotes
powerpoint as text | MicrosoftPowerpoint.GetPresentationAsMarkdown
find a channel in teams | MicrosoftTeams.SearchChannels MicrosoftTeams.ListChannels
delete a sharepoint file | MicrosoftSharepoint.DeleteItem
draft an email in a shared mailbox | MicrosoftOutlookMail.SharedMailboxCreateDraftEmail
count documents in mongo | Mongodb.CountDocuments
query a mongodb collection | Mongodb.FindDocuments
run a sql query on postgres | Postgres.ExecuteSelectQuery
columns of a snowflake table | Snowflake.GetTableSchema
tables in clickhouse | Clickhouse.DiscoverTables
find a notion page by its title | Notion.SearchByTitle NotionToolkit.SearchByTitle
structure of my notion workspace | NotionToolkit.GetWorkspaceStructure
post a tweet thread | X.PostThread
delete a tweet | X.DeleteTweetById
comment on a reddit post | Reddit.CommentOnPost
rules of a subreddit | Reddit.GetSubredditRules
publish something on linkedin | Linkedin.CreateTextPost
search youtube videos | Youtube.SearchForVideos
zoom meetings coming up | Zoom.ListUpcomingMeetings
transcript of a meeting | Granola.GetMeetingTranscript
ask what was said in a meeting | Fireflies.AskAboutMeeting
give a teammate access to a recording | Fireflies.ShareMeeting
bill a customer | Stripe.CreateInvoice
show invoices | Stripe.ListInvoices
set a price for a product | Stripe.CreatePrice
complete a task in ticktick | TicktickApi.MarkTaskComplete
remove a ticktick task | TicktickApi.DeleteSpecificTask
why did my deployment fail | Vercel.GetDeploymentLogs
how much does a domain cost | VercelApi.FetchDomainPrice
connect a custom domain to a project | Vercel.AddProjectDomain
trace a request in datadog | Datadog.GetTrace Datadog.SearchSpans
grow a disk volume | Flyio.ExtendVolume
is the certificate valid | Flyio.CheckCertificate
what am I eating this week | Forkable.ListMyMealsThisWeek
skip my meal tomorrow | Forkable.SkipMeal
walmart product details | Walmart.GetProductDetails
find products to buy | GoogleShopping.SearchProducts Walmart.SearchProducts
create a tag in asana | Asana.CreateTag
add someone to an asana project | AsanaApi.AddMembersToProject
create an airtable user | AirtableApi.CreateScimUser
free slots for a calendly event | CalendlyApi.ListAvailableEventTimes
invite someone to a calendly event | CalendlyApi.CreateEventInvitee
rename a confluence page | Confluence.RenamePage
confluence spaces | Confluence.ListSpaces
answer a discord message | DiscordBot.ReplyToMessage
fix a message my bot posted | DiscordBot.EditMessage
export a figma frame as png | Figma.ExportImage
stop a running agent | CursorAgents.CancelRun
delete a mock server | Postman.DeleteMock
campaign performance | Customerio.GetCampaignMetrics
mark a salesforce task as done | Salesforce.UpdateTask
find a salesforce account by name | Salesforce.GetAccountDataByKeywords
who has access to a power bi workspace | MicrosoftPowerbi.ListWorkspaceMembers
tasks assigned to a teammate in clickup | Clickup.GetTasksByAssignees
wait for a telegram message | Telegram.WaitForNewMessage
companies in the helpdesk | Freshdesk.SearchCompanies
email a payment receipt to a supplier | ZohoBooksApi.SendVendorPaymentEmail
register a fixed asset | ZohoBooksApi.CreateFixedAsset
settings of an edge config | VercelApi.GetEdgeConfig
who's on call tonight | Pagerduty.ListOncalls
cheap flights to Lisbon | GoogleFlights.SearchFlights
rooms in Rome tonight | GoogleHotels.SearchHotels
current Apple share price | GoogleFinance.GetStockSummary
song playing right now | Spotify.GetCurrentlyPlaying
decline a meeting invite | GoogleCalendar.RespondToEvent
today's headlines | GoogleNews.SearchNewsStories
who is his boss | MicrosoftUsers.GetUserManager
execute python snippet | E2b.RunCode
take down my tweet | X.DeleteTweetById
nursing vacancies in Leeds | GoogleJobs.SearchJobs
close a helpdesk case | Zendesk.MarkTicketSolved
driving route | GoogleMaps.GetDirectionsBetweenAddresses GoogleMaps.GetDirectionsBetweenCoordinates
look it up online | GoogleSearch.Search Brightdata.SearchEngine
webpage to markdown | Brightdata.ScrapeAsMarkdown Firecrawl.ScrapeUrl
bill a client | Stripe.CreateInvoice
cancel my office lunch | Forkable.SkipMeal
whose number is this | GoogleContacts.SearchContactsByPhoneNumber
put a caption on a funny picture | Imgflip.CreateMeme
why did my last Vercel build fail | Vercel.GetDeploymentLogs
how much would it cost to register a web address | VercelApi.FetchDomainPrice
pass this mail on to a colleague with a short comment | Gmail.ForwardEmail
write back to the person who mailed me | Gmail.ReplyToEmail
send a welcome email from our app to a new signup | Resend.SendEmail
what's on my agenda next week | GoogleCalendar.ListEvents MicrosoftOutlookCalendar.SearchEvents
give somebody edit access to my Google document | GoogleDrive.ShareFile
password protected link so people outside can open my file | MicrosoftOnedrive.CreateShareLink
find a contract PDF somewhere in my cloud storage | GoogleDrive.SearchFiles Dropbox.SearchFilesAndFolders
look through all our internal company knowledge for the travel policy | Glean.Search
save this text as a new document | GoogleDocs.CreateDocumentFromText MicrosoftWord.CreateDocument
add another paragraph at the bottom of my Word file | MicrosoftWord.InsertTextAtEnd
start a deck that keeps our company's branding | GoogleSlides.CreatePresentationFromTemplate
word for word record of what was said in a call | Granola.GetMeetingTranscript
let a teammate watch the recording of our sales call | Fireflies.ShareMeeting
catch up on what people wrote in a channel today | Slack.GetMessages DiscordBot.ListMessages
take back a Slack post that hasn't gone out yet | SlackApi.DeleteScheduledSlackMessage
fix a typo in something my bot posted on Discord | DiscordBot.EditMessage
can this PR go in yet, or is something blocking it | Github.CheckPullRequestMergeStatus
how many approvals does the main branch demand | GithubApi.GetPullRequestReviewProtection
move a bug to In Progress | Linear.TransitionIssueState
tick off a to-do as finished | TicktickApi.MarkTaskComplete Salesforce.UpdateTask
what is each of my teammates working on in ClickUp | Clickup.GetTasksByAssignees
bring a new person onto an Asana project | AsanaApi.AddMembersToProject
what columns does a database table have | Snowflake.GetTableSchema Clickhouse.GetTableSchema Yugabytedb.SummarizeDatabase
query my SQL database for some rows | Postgres.ExecuteSelectQuery Yugabytedb.RunReadOnlyQuery
how many records match a filter in Mongo | Mongodb.CountDocuments
find slow requests across our microservices | Datadog.SearchSpans
industry, headcount and revenue for a firm from its website address | Apollo.EnrichOrganization
the HubSpot deal will be won a month later than planned | Hubspot.UpdateDealCloseDate
leave a note on a contact in the CRM | Hubspot.CreateNoteActivity Insightly.CreateNote IntercomApi.AddNoteToContact
book a call with a prospect | HubspotMeetingsApi.ScheduleMeetingHubspot HubspotMeetingsApi.BookHubspotMeeting CalendlyApi.CreateEventInvitee
log what a signed-in customer does in our app | CustomerioPipelinesApi.TrackUserEvent CustomerioTrackApi.SendCustomerEvent
reusable UI parts our designers have published | FigmaApi.GetTeamComponents FigmaApi.GetTeamComponentSets FigmaApi.GetFigmaFileComponents
where can I buy an inexpensive coffee machine | GoogleShopping.SearchProducts Walmart.SearchProducts
fill some numbers into cells of a sheet | GoogleSheets.CreateOrEditSpreadsheet MicrosoftSharepoint.UpdateRange
my app on Fly is running out of disk space | Flyio.ExtendVolume
how many tokens did my coding agent burn | CursorAgents.GetAgentUsage
find a Notion page when I only remember its name | Notion.SearchByTitle NotionToolkit.SearchByTitle Notion.GetObjectMetadata NotionToolkit.GetObjectMetadata
accept meeting invite | GoogleCalendar.RespondToEvent
delete calendar event | GoogleCalendar.DeleteEvent
send html email with attachment | Resend.SendEmail
reply to email | Gmail.ReplyToEmail
label emails | Gmail.ChangeEmailLabels
scrape webpage to markdown | Firecrawl.ScrapeUrl Brightdata.ScrapeAsMarkdown
run SQL query | Postgres.ExecuteSelectQuery Yugabytedb.RunReadOnlyQuery
list database tables | Postgres.DiscoverTables Clickhouse.DiscoverTables Yugabytedb.SummarizeDatabase
get table columns | Clickhouse.GetTableSchema Snowflake.GetTableSchema Yugabytedb.SummarizeDatabase
execute python code | E2b.RunCode
get Slack channel history | Slack.GetMessages
invite user to Slack channel | Slack.InviteUsersToChannel
create Stripe invoice | Stripe.CreateInvoice
list invoices | Stripe.ListInvoices
check if PR is mergeable | Github.CheckPullRequestMergeStatus
list commits in pull request | Github.ListPullRequestCommits
get meeting transcript | Granola.GetMeetingTranscript
search past meetings | Fireflies.SearchMeetings Granola.ListMeetings
add comment to ticket | Zendesk.AddTicketComment
move Linear issue to done | Linear.TransitionIssueState
create Asana tag | Asana.CreateTag
get Jira boards | Jira.GetBoards
create Word document | MicrosoftWord.CreateDocument
read Excel cells | MicrosoftExcel.ReadWorksheet
create folder | MicrosoftOnedrive.CreateFolder
list Box Hub items | BoxApi.RetrieveBoxHubItems
search hotels | GoogleHotels.SearchHotels
driving directions | GoogleMaps.GetDirectionsBetweenAddresses GoogleMaps.GetDirectionsBetweenCoordinates
get latest news | GoogleNews.SearchNewsStories
post tweet thread | X.PostThread
count MongoDB documents | Mongodb.CountDocuments
track custom event for user | CustomerioPipelinesApi.TrackUserEvent CustomerioTrackApi.SendCustomerEvent
schedule interview | AshbyApi.CreateInterviewSchedule
remove Trello custom field | TrelloApi.DeleteTrelloCustomField
create help center section | IntercomApi.CreateHelpCenterSection
list Confluence spaces | Confluence.ListSpaces
get PostHog survey | Posthog.GetSurvey
what song is Spotify playing right now | Spotify.GetCurrentlyPlaying
skip ahead 30 seconds in the track I'm listening to | Spotify.AdjustPlaybackPosition
find me a return flight from Madrid to Oslo, leaving June 12 and back on the 20th | GoogleFlights.SearchFlights
I need to fly Paris - Tokyo - Bangkok - Paris in November, what would that cost | GoogleFlights.SearchMultiCityFlights
hotel in Lisbon for two adults next weekend under 150 euros | GoogleHotels.SearchHotels
remote data engineer jobs in Germany | GoogleJobs.SearchJobs
what is Nvidia trading at today | GoogleFinance.GetStockSummary
how do I get from Alexanderplatz to Potsdam by public transport | GoogleMaps.GetDirectionsBetweenAddresses
forward the contract email from Maria to our lawyer | Gmail.ForwardEmail
put the 12 new MacBooks into Zoho Books as assets | ZohoBooksApi.CreateFixedAsset
what meetings do I have tomorrow in Outlook | MicrosoftOutlookCalendar.SearchEvents
share the budget folder with tom@acme.com as editor in Google Drive | GoogleDrive.ShareFile
make a Google Doc out of these meeting notes | GoogleDocs.CreateDocumentFromText
give me a link to this OneDrive file that anyone in the company can edit | MicrosoftOnedrive.CreateShareLink
download the signed NDA from Dropbox | Dropbox.DownloadFile
find the Excel file with our 2024 sales forecast in OneDrive | MicrosoftExcel.SearchWorkbooks
pull the speaker notes out of my PowerPoint for Friday's talk | MicrosoftPowerpoint.GetAllSlideNotes
make a new deck from our company template in Google Slides | GoogleSlides.CreatePresentationFromTemplate
get the PDF attached to quote QU-0032 in Xero | XeroApi.RetrieveQuoteAttachmentByFilename
who does Priya report to in our Microsoft 365 directory | MicrosoftUsers.GetUserManager
look up the contact with the number +49 151 2345678 | GoogleContacts.SearchContactsByPhoneNumber
what's Dana's work email, she's in another department | GoogleContacts.SearchDirectoryPeople
list the open Pylon issues assigned to Kim | Pylon.ListIssues
cancel the Slack message I scheduled for Monday | SlackApi.DeleteScheduledSlackMessage
which channels does the Marketing team have in Microsoft Teams | MicrosoftTeams.ListChannels
answer Jonas' question in our Discord help channel | DiscordBot.ReplyToMessage
post on LinkedIn that we're hiring a designer | Linkedin.CreateTextPost
delete the tweet I sent by mistake | X.DeleteTweetById
leave a comment under that Reddit post about home servers | Reddit.CommentOnPost
push the Globex deal's close date to the end of September in HubSpot | Hubspot.UpdateDealCloseDate
find VPs of engineering at Berlin startups with 50 to 200 employees | Apollo.SearchPeople
add a new deal for Umbrella Corp in Attio | Attio.CreateRecord
reject Sam's application for the backend role in Ashby, not enough experience | Ashby.ArchiveApplication
how many people are in our Telegram group | Telegram.GetChatInfo
set up a 29 dollar price for our Pro plan in Stripe | Stripe.CreatePrice
how much would acme-labs.dev cost for two years on Vercel | VercelApi.FetchDomainPrice
why did my last Vercel deployment fail | Vercel.GetDeploymentLogs
is the TLS certificate for shop.example.com on Fly.io valid yet | Flyio.CheckCertificate
what tasks does Lena have in ClickUp this week | Clickup.GetTasksByAssignees
tick off the "buy milk" task in TickTick | TicktickApi.MarkTaskComplete
find the Notion page called Onboarding checklist | Notion.SearchByTitle NotionToolkit.SearchByTitle Notion.GetObjectMetadata NotionToolkit.GetObjectMetadata
what did the client say about pricing in yesterday's Fireflies call | Fireflies.AskAboutMeeting
read the whole conversation on Zendesk ticket 48213 | Zendesk.GetTicketComments
show checkout service spans with errors in Datadog from the last hour | Datadog.SearchSpans
what am I getting from Forkable this week | Forkable.ListMyMealsThisWeek
make a distracted boyfriend meme about deadlines | Imgflip.CreateMeme
which Zoom calls do I have today | Zoom.ListUpcomingMeetings
who's carrying the pager tonight | Pagerduty.ListOncalls
I don't want lunch delivered on Wednesday | Forkable.SkipMeal
what's the three letter code for the airport in Nice | GoogleFlights.LookupAirports
where can I get the cheapest air fryer | GoogleShopping.SearchProducts Walmart.SearchProducts
turn these numbers into a bar graph picture | E2b.CreateStaticMatplotlibChart
what's left over when I split 137 by 12 | Math.Mod
round 4.2 up to a whole number | Math.Ceil
who works under Michael | MicrosoftUsers.GetDirectReports
kick everyone else out of my shared doc on Drive | GoogleDrive.RemoveAllCollaborators
throw away a file we no longer need on the team's SharePoint | MicrosoftSharepoint.DeleteItem
what slots can people still book with me next week | CalendlyApi.ListAvailableEventTimes
did the email we sent the customer actually arrive | Resend.GetEmail
don't send that mail after all, it's queued for tonight | Resend.CancelEmail
who can see our Power BI stuff | MicrosoftPowerbi.ListWorkspaceMembers
how big is this company and how much money did they raise, I only have their website | Apollo.EnrichOrganization
what am I allowed to post in r/AskHistorians | Reddit.GetSubredditRules
which meme pictures is everybody using these days | Imgflip.GetPopularMemes
let my colleague watch the recording of our sales call | Fireflies.ShareMeeting
how many tokens has my Cursor agent eaten so far | CursorAgents.GetAgentUsage
stop the coding agent, it's going in the wrong direction | CursorAgents.CancelRun
how well is our welcome campaign doing in Customer.io | Customerio.GetCampaignMetrics
did Kate click the link in our spring sale mailing | MailchimpMarketingApi.GetSubscriberClickDetails
our disk on Fly is almost full, make it bigger | Flyio.ExtendVolume
look through everything the company has written down internally | Glean.Search
list upcoming zoom meetings | Zoom.ListUpcomingMeetings
get me the invite text for my Zoom meeting with Acme so I can paste it in an email | Zoom.GetMeetingInvitation
what calls do I have coming up today | Zoom.ListUpcomingMeetings GoogleCalendar.ListEvents MicrosoftOutlookCalendar.SearchEvents
get zoho creator record by id | ZohoCreatorApi.FetchRecordDetail
which apps do we have in our Zoho Creator workspace | ZohoCreatorApi.FetchWorkspaceAppMeta
submit estimate for approval | ZohoBooksApi.SubmitEstimateForApproval
add the new delivery van as a fixed asset in Zoho Books | ZohoBooksApi.CreateFixedAsset
let our supplier know by mail that we've paid them | ZohoBooksApi.SendVendorPaymentEmail
close zendesk ticket | Zendesk.MarkTicketSolved
put a comment on Zendesk ticket 48213 saying engineering is looking into it | Zendesk.AddTicketComment
read everything that was said back and forth in a customer's Zendesk case | Zendesk.GetTicketComments
give me an overview of all tables in our Yugabyte database with row counts | Yugabytedb.SummarizeDatabase
run read-only sql query | Yugabytedb.RunReadOnlyQuery Postgres.ExecuteSelectQuery
list tables in database | Clickhouse.DiscoverTables Postgres.DiscoverTables Yugabytedb.SummarizeDatabase
describe table columns | Clickhouse.GetTableSchema Snowflake.GetTableSchema Yugabytedb.SummarizeDatabase
how many views does the YouTube video dQw4w9WgXcQ have | Youtube.GetYoutubeVideoDetails Brightdata.WebDataFeed
find a clip that shows how to change a bike tyre | Youtube.SearchForVideos
download the attachment specs.pdf from our Xero quote | XeroApi.RetrieveQuoteAttachmentByFilename
which costs are we passing on to the client in Xero | XeroApi.RetrieveLinkedTransactions
delete tweet | X.DeleteTweetById
turn these five paragraphs into a thread on X | X.PostThread
what are the people in my AI researchers list on Twitter saying lately | X.GetListTweets
list weaviate users with a role | WeaviateApi.GetUsersByRole
what REST endpoints does our Weaviate instance offer | WeaviateApi.DiscoverApiEndpoints
search walmart products | Walmart.SearchProducts
show me the specs and price of Walmart item 5113183757 | Walmart.GetProductDetails
I need a cheap toaster, where can I buy one | GoogleShopping.SearchProducts Walmart.SearchProducts
get vercel edge config | VercelApi.GetEdgeConfig
how much would coolstartup.dev cost if I buy it through Vercel | VercelApi.FetchDomainPrice
add custom domain to project | Vercel.AddProjectDomain
which account am I logged into on Vercel | Vercel.GetCurrentUser
remove the Priority custom field from our marketing board in Trello | TrelloApi.DeleteTrelloCustomField
rename trello checklist | TrelloApi.UpdateChecklistField
hide the activity stream at the side of my Trello board | TrelloApi.UpdateSidebarActivityPreference
complete task in ticktick | TicktickApi.MarkTaskComplete
delete the "buy milk" task from TickTick | TicktickApi.DeleteSpecificTask
tick something off my personal to-do list | TicktickApi.MarkTaskComplete
wait for telegram reply | Telegram.WaitForNewMessage
how many members are in our Telegram group | Telegram.GetChatInfo
what's the username of my Telegram bot | Telegram.WhoAmI
delete external bank account stripe | StripeApi.DeleteExternalBankAccount
show me the customer portal settings we have in Stripe | StripeApi.GetBillingPortalConfigurations
list stripe invoices | Stripe.ListInvoices
set up a price of $29 a month for our Pro plan in Stripe | Stripe.CreatePrice
bill a client for last month's work | Stripe.CreateInvoice
delete square customer group | SquareupApi.DeleteCustomerGroup
what events happened in our Square account over the last two weeks | SquareupApi.SearchSquareEvents
get current song spotify | Spotify.GetCurrentlyPlaying
jump to 1:45 in the current Spotify track | Spotify.AdjustPlaybackPosition
what's the name of the tune I'm listening to | Spotify.GetCurrentlyPlaying
put some music on | Spotify.StartTracksPlaybackById
list schemas in database | Clickhouse.DiscoverSchemas Postgres.DiscoverSchemas Snowflake.DiscoverSchemas
which role and warehouse am I using in Snowflake | Snowflake.WhoAmI
what columns does the ORDERS table have in Snowflake | Snowflake.GetTableSchema
cancel scheduled slack message | SlackApi.DeleteScheduledSlackMessage
rename our :partyparrot: emoji to :parrot: in Slack | SlackApi.RenameSlackEmoji
list my slack channels | Slack.ListConversations
add Priya and Tom to #launch-plan on Slack | Slack.InviteUsersToChannel
catch me up on what was said in the #general channel | Slack.GetMessages DiscordBot.ListMessages
find salesforce account by name | Salesforce.GetAccountDataByKeywords
set the "Call back Contoso" task in Salesforce to completed | Salesforce.UpdateTask
did the email we sent to Anna through Resend get delivered | Resend.GetEmail
stop a mail that's set to go out later tonight | Resend.CancelEmail
comment on reddit post | Reddit.CommentOnPost
am I allowed to promote my own stuff in r/startups | Reddit.GetSubredditRules
what name do I go by on Reddit | Reddit.GetMyUsername
bulk update accounts in pylon | PylonApi.UpdateMultipleAccounts
move the end date of the Onboarding project in Pylon to 30 June | PylonApi.UpdateProject
list open pylon issues | Pylon.ListIssues
who is on the Tier 2 team in Pylon | Pylon.GetTeamAndAssignment
delete mock server | Postman.DeleteMock
what's the public URL of our Orders mock in Postman | Postman.GetMock
we don't need the staging environment in Postman anymore, get rid of it | Postman.DeleteEnvironment
put a password on the session recording I'm sharing from PostHog | PosthogApi.CreateRecordingSharePassword
list posthog events | Posthog.ListEventDefinitions
who changed the churn survey in PostHog and when | Posthog.GetSurveyActivity
show me the questions and targeting of our NPS survey | Posthog.GetSurvey
how many orders came in last week, look it up in our Postgres database | Postgres.ExecuteSelectQuery
show all high-urgency PagerDuty incidents still open for the checkout service | Pagerduty.ListIncidents
whose turn is it to be woken up tonight if the site goes down | Pagerduty.ListOncalls
list incident notes | PagerdutyApi.ListIncidentNotes
how quickly did each responder react on PagerDuty incident Q3X8 | PagerdutyApi.GetIncidentResponseAnalytics
when was the Team Handbook page in Notion created and what's its URL | Notion.GetObjectMetadata NotionToolkit.GetObjectMetadata
show me how our Notion is laid out | NotionToolkit.GetWorkspaceStructure
list mongodb collections | Mongodb.DiscoverCollections
find all users in Mongo who signed up in March | Mongodb.FindDocuments
how many customers from Spain are in the customers collection | Mongodb.CountDocuments
get items in miro group | MiroApi.GetGroupItemsMiro
change the settings of our Design team in Miro | MiroApi.UpdateTeamSettings
create new document | MicrosoftWord.CreateDocument GoogleDocs.CreateBlankDocument GoogleDocs.CreateDocumentFromText
add a closing paragraph at the end of proposal.docx | MicrosoftWord.InsertTextAtEnd
read word document | MicrosoftWord.GetDocument
who reports to Sarah Lindqvist | MicrosoftUsers.GetDirectReports
find the budgeting channel in the Finance team on Microsoft Teams | MicrosoftTeams.SearchChannels MicrosoftTeams.ListChannels
change cells B2 to B6 of the budget workbook on SharePoint | MicrosoftSharepoint.UpdateRange
make a duplicate of the Q2 folder on our SharePoint site | MicrosoftSharepoint.CopyItem
get speaker notes powerpoint | MicrosoftPowerpoint.GetAllSlideNotes
add a slide with pros on the left and cons on the right to my PowerPoint | MicrosoftPowerpoint.CreateTwoContentSlide
pull the text out of a .pptx so I can read it without opening it | MicrosoftPowerpoint.GetPresentationAsMarkdown
our sales dataset didn't refresh last night, is the Power BI gateway down | MicrosoftPowerbi.DatasetGatewayHealth
create draft in shared mailbox | MicrosoftOutlookMail.SharedMailboxCreateDraftEmail
which folders are there in the info@ inbox we all use together | MicrosoftOutlookMail.SharedMailboxListMailFolders
list outlook calendars | MicrosoftOutlookCalendar.ListCalendars
do I have anything with the legal team in my Outlook calendar next week | MicrosoftOutlookCalendar.SearchEvents
create onedrive folder | MicrosoftOnedrive.CreateFolder
share a file | GoogleDrive.ShareFile MicrosoftOnedrive.CreateShareLink
find the Excel file with the 2023 headcount | MicrosoftExcel.SearchWorkbooks
show me the rows for region North in sales.xlsx | MicrosoftExcel.ReadWorksheet
what's left over when you divide 100 by 7 | Math.Mod
mailchimp segment members | MailchimpMarketingApi.GetSegmentMembersInfo
did jane@example.com click the link in our spring Mailchimp campaign | MailchimpMarketingApi.GetSubscriberClickDetails
create luma person tag | LumaApi.CreatePersonTag
post on linkedin | Linkedin.CreateTextPost
tell my professional network that I changed jobs | Linkedin.CreateTextPost
change linear issue status | Linear.TransitionIssueState
leave a comment on the Mobile Redesign project in Linear | Linear.AddProjectComment
list jira boards | Jira.GetBoards
how big is the attachment 10045 in Jira and who uploaded it | Jira.GetAttachmentMetadata
move the Warehouse Rollout project in Insightly to the next stage | Insightly.SaveProject
make a Drake meme about Monday meetings | Imgflip.CreateMeme
which joke pictures is everyone using right now | Imgflip.GetPopularMemes
list hubspot users | HubspotUsersApi.FetchHubspotUsersList
add lisa@acme.com as a user in our HubSpot | HubspotUsersApi.CreateHubspotUser
book a HubSpot meeting with the prospect on Thursday at 2 | HubspotMeetingsApi.BookHubspotMeeting HubspotMeetingsApi.ScheduleMeetingHubspot
create hubspot form | HubspotMarketingApi.CreateMarketingForm
update lead | HubspotCrmApi.UpdateLeadDetails
push the close date of the Initech deal to the end of September | Hubspot.UpdateDealCloseDate
get hubspot workflows | HubspotAutomationApi.GetWorkflows
get the full transcript of yesterday's standup from Granola | Granola.GetMeetingTranscript
make a new deck based on our company Google Slides template | GoogleSlides.CreatePresentationFromTemplate
compare prices for Sony WH-1000XM5 headphones | GoogleShopping.SearchProducts Walmart.SearchProducts
add a row with today's expenses to my budget Google Sheet | GoogleSheets.CreateOrEditSpreadsheet
latest headlines about Nvidia | GoogleNews.SearchNewsStories
get directions | GoogleMaps.GetDirectionsBetweenAddresses GoogleMaps.GetDirectionsBetweenCoordinates
how long does it take to drive from my place to grandma's | GoogleMaps.GetDirectionsBetweenAddresses
find remote Python developer jobs in Amsterdam | GoogleJobs.SearchJobs
I'm out of work and looking for something as a nurse near Leeds | GoogleJobs.SearchJobs
I need a place to sleep in Paris next weekend | GoogleHotels.SearchHotels
search flights | GoogleFlights.SearchFlights
fly from Munich to Tokyo, then Osaka to Seoul, then back to Frankfurt | GoogleFlights.SearchMultiCityFlights
what's the airport code for Gothenburg | GoogleFlights.LookupAirports
Tesla share price over the past year | GoogleFinance.GetStockHistoricalData
how are my Apple shares doing today | GoogleFinance.GetStockSummary
share the contracts folder on Drive with paul@firm.com | GoogleDrive.ShareFile
make sure nobody else can open this Google Drive file anymore | GoogleDrive.RemoveAllCollaborators
whose number is +49 170 5551234, check my Google contacts | GoogleContacts.SearchContactsByPhoneNumber
say I can't come to Friday's get-together I was invited to | GoogleCalendar.RespondToEvent
answer Mark's email and tell him 3pm works | Gmail.ReplyToEmail
forward email | Gmail.ForwardEmail
where in our company's internal docs does it say how much parental leave I get | Glean.Search
list pull request commits | Github.ListPullRequestCommits
can PR #482 in our api repo be merged yet | Github.CheckPullRequestMergeStatus
who gave our GitHub project a star | Github.ListStargazers
get freshservice change notes | FreshserviceApi.GetChangeRequestNotes
find the company Umbrella in Freshdesk | Freshdesk.SearchCompanies
I won't be in the office Thursday, don't order lunch for me | Forkable.SkipMeal
is this dish okay with my nut allergy | Forkable.CheckMealRestrictions
list fly.io machines | Flyio.ListMachines
what did we decide about pricing in last week's Fireflies call | Fireflies.AskAboutMeeting
is the site crawl I started with Firecrawl done yet | Firecrawl.GetCrawlStatus
run python code in sandbox | E2b.RunCode
download file from dropbox | Dropbox.DownloadFile
get apm trace by id | Datadog.GetTrace
stop cursor agent run | CursorAgents.CancelRun
change the title of the Roadmap page in Confluence to Roadmap 2025 | Confluence.RenamePage
what tasks is Daniel working on in ClickUp | Clickup.GetTasksByAssignees
find available calendly times | CalendlyApi.ListAvailableEventTimes
pull the customer reviews from this Amazon product page | Brightdata.WebDataFeed
reject Kevin's application for the backend role in Ashby | Ashby.ArchiveApplication
find heads of marketing at fintech companies with 50 to 200 employees | Apollo.SearchPeople
how big is the company behind acme.io and how much money have they raised | Apollo.EnrichOrganization
create attio record | Attio.CreateRecord
how did our Customer.io welcome campaign do last month, opens and clicks | Customerio.GetCampaignMetrics
how many AI tokens has my Cursor agent burned through so far | CursorAgents.GetAgentUsage
answer somebody's question on our Discord server | DiscordBot.ReplyToMessage
list published figma components | FigmaApi.GetTeamComponents FigmaApi.GetFigmaFileComponents
add members to asana project | AsanaApi.AddMembersToProject
put someone who'd like to work for us into Ashby | AshbyApi.CreateCandidate
turn these monthly sales numbers into a bar graph picture | E2b.CreateStaticMatplotlibChart
find the budget 2024 xlsx somewhere in my OneDrive | MicrosoftExcel.SearchWorkbooks
show me all commits in PR #482 of acme/webshop | Github.ListPullRequestCommits
get telegram bot username | Telegram.WhoAmI
what tabs does this Google Doc have and how long is each of them | GoogleDocs.GetDocumentMetadata
provision airtable user scim | AirtableApi.CreateScimUser
what did people write in #general on Slack since yesterday | Slack.GetMessages
list clickhouse tables | Clickhouse.DiscoverTables
flights Munich to Tokyo on March 3, then Tokyo to Sydney on the 12th and home from Sydney on the 25th | GoogleFlights.SearchMultiCityFlights
compare product prices across shops | GoogleShopping.SearchProducts
list customer.io campaigns | Customerio.ListCampaigns
give our new sales rep lisa@acme.io a HubSpot login | HubspotUsersApi.CreateHubspotUser
did version A or B of the June newsletter get more opens in Customer.io | CustomerioApi.GetNewsletterVariantMetrics
get items of a group on a miro board | MiroApi.GetGroupItemsMiro
how much does the domain coolbakery.dev cost per year | VercelApi.FetchDomainPrice
accept meeting invitation | GoogleCalendar.RespondToEvent
check onedrive account connected | MicrosoftOnedrive.WhoAmI
read cells A1 to F40 of the Q2 sheet in my Excel file | MicrosoftExcel.ReadWorksheet
stop the Cursor agent run that is stuck since noon | CursorAgents.CancelRun
show the reminders and subtasks of my "tax return" task in TickTick | TicktickApi.RetrieveTaskDetails
am I allowed to post self-promotion in r/startups? | Reddit.GetSubredditRules
find the meme picture with the guy looking back at another woman | Imgflip.SearchMemes
make a new pitch deck for Siemens based on our company Google Slides template | GoogleSlides.CreatePresentationFromTemplate
get attio list entries | Attio.GetListEntries
change deal close date | Hubspot.UpdateDealCloseDate
search square api events | SquareupApi.SearchSquareEvents
which design files are in the Mobile App project in Figma | Figma.GetProjectFiles
throw away the old onboarding folder on our SharePoint | MicrosoftSharepoint.DeleteItem
snowflake current role and warehouse | Snowflake.WhoAmI
list tables in postgres database | Postgres.DiscoverTables
create folder in onedrive | MicrosoftOnedrive.CreateFolder
what's inside /Invoices/2024 in my Dropbox | Dropbox.ListItemsInFolder
who belongs to the Tier 2 support team in Pylon | Pylon.GetTeamAndAssignment
what was that recorded call where we talked about pricing | Fireflies.SearchMeetings
read discord channel messages | DiscordBot.ListMessages
is the crawling of our competitor's site finished yet | Firecrawl.GetCrawlStatus Firecrawl.GetCrawlData
register the new delivery van as a fixed asset in Zoho Books | ZohoBooksApi.CreateFixedAsset
add a closing paragraph at the bottom of proposal.docx | MicrosoftWord.InsertTextAtEnd
update miro team settings | MiroApi.UpdateTeamSettings
get asana task | Asana.GetTaskById
list crm contacts | Hubspot.ListContacts
cloudflare account details in datadog | DatadogApi.GetCloudflareAccount
who attended and who cancelled our HubSpot webinar event | HubspotMarketingApi.GetMarketingEventParticipationsBreakdown
which billable expenses in Xero are linked to a client | XeroApi.RetrieveLinkedTransactions
show unresolved Pylon issues assigned to Kim | Pylon.ListIssues
skip ahead half a minute in this song | Spotify.AdjustPlaybackPosition
how many approvals does a pull request into main need in acme/api | GithubApi.GetPullRequestReviewProtection
update hubspot lead | HubspotCrmApi.UpdateLeadDetails
list hubspot meeting links | HubspotMeetingsApi.ListMeetingSchedulingPages
execute python code in sandbox | E2b.RunCode
get figma styles | Figma.GetStyles
search company in freshdesk | Freshdesk.SearchCompanies
bill a customer for last month's work, due in two weeks | Stripe.CreateInvoice
search all our internal company knowledge in Glean for the parental leave policy | Glean.Search
how many Apollo API calls do I have left today | Apollo.GetApiUsage
add Elena Rossi as a new candidate in Ashby | AshbyApi.CreateCandidate
is https for my Fly.io app working or is some dns entry still missing | Flyio.CheckCertificate
resolve comment thread in google slides | GoogleSlides.ResolveComment
create google doc | GoogleDocs.CreateBlankDocument GoogleDocs.CreateDocumentFromText
delete trello custom field | TrelloApi.DeleteTrelloCustomField
what notes are on change request 318 in Freshservice | FreshserviceApi.GetChangeRequestNotes
do I have anyone with the address k.meier@gmx.de in my Google contacts | GoogleContacts.SearchContactsByEmail
list my Granola meetings from last week | Granola.ListMeetings
list repo stargazers | Github.ListStargazers
summarize yugabytedb database | Yugabytedb.SummarizeDatabase
show me slow requests of the checkout service during the last hour in Datadog | Datadog.SearchSpans
look up job title and department of dana@contoso.com in Microsoft 365 | MicrosoftUsers.GetUserProfile
is anything broken in production right now | Pagerduty.ListIncidents
published components in team library | FigmaApi.GetTeamComponents
who reports to Claire Dubois | MicrosoftUsers.GetDirectReports
don't send the mail I scheduled in Resend for tomorrow | Resend.CancelEmail
someone called me from +49 170 5551234, do I know this number | GoogleContacts.SearchContactsByPhoneNumber
pull up everything we have on the Umbrella Corp account in Salesforce | Salesforce.GetAccountDataByKeywords
details of the Calendly appointment Mr. Ito booked | CalendlyApi.GetEventDetails
sort my expenses Google Sheet by date and add a new tab for July | GoogleSheets.CreateOrEditSpreadsheet
give me the word-for-word transcript of the Granola call with the investors | Granola.GetMeetingTranscript
which time slots can people still book on my Calendly next week | CalendlyApi.ListAvailableEventTimes
facebook ad report mailchimp | MailchimpMarketingApi.GetFacebookAdReport
my disk on Fly.io is almost full, make it bigger | Flyio.ExtendVolume
rename the "Launch" checklist on our Trello card | TrelloApi.UpdateChecklistField
convert pptx to markdown | MicrosoftPowerpoint.GetPresentationAsMarkdown
a to-do I no longer need, get rid of it in TickTick for good | TicktickApi.DeleteSpecificTask
what did the card readers in our Square shop do yesterday | SquareupApi.SearchTerminalActions
look at an older edition of a document we keep in Box | BoxApi.RetrieveFileVersion
into which groups are our people divided in HubSpot | HubspotUsersApi.ViewAccountTeams
what was that deposit that changed a customer's balance in Stripe | StripeApi.RetrieveCashBalanceTransaction
add a purple "blocked by legal" label to our Asana so the team can start using it | Asana.CreateTag
what's inside /Clients/2024/Contracts on Dropbox? | Dropbox.ListItemsInFolder
put on these three songs for me, one after the other | Spotify.StartTracksPlaybackById
which LLMs does Cursor suggest for its background agents? | CursorAgentsApi.ListRecommendedModels
change the settings of the Design team in our Miro organization | MiroApi.UpdateTeamSettings
is the coding job I handed to Cursor done yet, and did a PR come out of it? | CursorAgents.GetRun
did lena@firma.de click the pricing link in our March Mailchimp newsletter? | MailchimpMarketingApi.GetSubscriberClickDetails
I've just been handed a Postgres database and have no clue what is stored in it | Postgres.DiscoverTables Postgres.DiscoverSchemas
add Priya and Tom to #launch-2025 on Slack | Slack.InviteUsersToChannel
what am I allowed to post in r/askscience? | Reddit.GetSubredditRules
who registered, attended or cancelled for the spring webinar we track in HubSpot? | HubspotMarketingApi.GetMarketingEventParticipationsBreakdown
how many approvals does the main branch of acme/webshop require before a merge? | GithubApi.GetPullRequestReviewProtection
get luma event admin details | LumaApi.GetEventAdminInfo
delete customer.io snippet | CustomerioApi.RemoveUnusedSnippet
is marco.rossi@studio.it saved in my Google contacts? | GoogleContacts.SearchContactsByEmail
I need the login screen from our Figma design as a PNG | Figma.ExportImage
stop everything that is still running on my Exa webset "competitors" | ExaApi.CancelWebsetOperations
show me how the "Cold outreach EMEA" sequence in HubSpot is set up | HubspotAutomationApi.GetSequenceDetails
pull up everything we have in Salesforce on Northwind Traders | Salesforce.GetAccountDataByKeywords
where's the HubSpot link people use to pick a slot with me? | HubspotMeetingsApi.ListMeetingSchedulingPages
is anything broken in production at the moment that nobody has picked up? | Pagerduty.ListIncidents
show me a clip of someone fixing a leaking kitchen tap | Youtube.SearchForVideos
find the ClickUp folder called something like "Q3 Roadmap" | Clickup.FuzzySearchFoldersByName
how quickly did each engineer react to last night's outage in PagerDuty? | PagerdutyApi.GetIncidentResponseAnalytics
get asana project membership | AsanaApi.GetProjectMembershipDetails
what commits went into PR 412 of vercel/next.js? | Github.ListPullRequestCommits
how many more lookups can I make in Apollo before I get cut off? | Apollo.GetApiUsage
how did version B of the June newsletter do in Customer.io? | CustomerioApi.GetNewsletterVariantMetrics
list all tools in arcade engine | ArcadeEngineApi.GetToolsList
send the draft that's sitting in the support@contoso.com shared mailbox | MicrosoftOutlookMail.SharedMailboxSendDraftEmail
who am I logged in as at our Freshdesk? | Freshdesk.WhoAmI
stripe customer portal configurations | StripeApi.GetBillingPortalConfigurations
list hubspot teams | HubspotUsersApi.ViewAccountTeams
get rid of the old onboarding folder on our SharePoint site | MicrosoftSharepoint.DeleteItem
what's the web address of the fake API we run in Postman? | Postman.GetMock
what REST endpoints does our Weaviate instance offer? | WeaviateApi.DiscoverApiEndpoints
I'm not going to the dentist on Friday after all, take it out of my Google Calendar | GoogleCalendar.DeleteEvent
I logged 3 hours on a ClickUp task but it was only 2, correct that | ClickupApi.EditLegacyTimeEntry
get https://docs.stripe.com/payments as markdown | Brightdata.ScrapeAsMarkdown Firecrawl.ScrapeUrl
what kinds of user actions are we recording in PostHog? | Posthog.ListEventDefinitions
who do I ring tonight if the servers die? | Pagerduty.ListOncalls
record in Customer.io that a visitor who isn't logged in looked at the pricing page | CustomerioTrackApi.TrackAnonymousEvent
notion current user | Notion.WhoAmI
what tools does the worker "crm-prod" serve in Arcade? | ArcadeEngineApi.FetchToolsPage
what am I getting for lunch at the office on Thursday? | Forkable.ListMyMealsThisWeek
list channels of a microsoft teams team | MicrosoftTeams.ListChannels
set up a €29 price for the Pro plan in Stripe | Stripe.CreatePrice
who's on our "Seed investors" list in Attio? | Attio.GetListEntries
add a "Billing" section to our Intercom help center | IntercomApi.CreateHelpCenterSection
mark Jana's comment on the pitch deck in Google Slides as resolved | GoogleSlides.ResolveComment
what are the papers saying about the Swiss elections? | GoogleNews.SearchNewsStories
push 400 identify and track calls to Customer.io in one go | CustomerioPipelinesApi.SendBatchRequests
list daytona snapshots | Daytona.ListSnapshots
which tabs does the "Offsite plan" Google Doc have and how long is each one? | GoogleDocs.GetDocumentMetadata
list pylon users | Pylon.ListUsers
find slow checkout-service spans from the last hour in Datadog | Datadog.SearchSpans
cheapest way to get by plane from Hamburg to Lisbon and back over Easter | GoogleFlights.SearchFlights
put Kemal and Ines on the "Website relaunch" project in Asana | AsanaApi.AddMembersToProject
answer Zoe's question in #help on Discord, directly under her message | DiscordBot.ReplyToMessage
get hubspot crm subscription | HubspotCrmApi.GetSubscriptionDetails
whose OneDrive am I hooked up to? | MicrosoftOnedrive.WhoAmI
which meetings did Granola capture last week? | Granola.ListMeetings
how have Siemens shares done over the past five years? | GoogleFinance.GetStockHistoricalData
sync these 30 to-dos into HubSpot and update the ones that are already there | HubspotCrmApi.UpsertHubspotTasks
who falls into our "lapsed buyers" group in Mailchimp? | MailchimpMarketingApi.GetSegmentMembersInfo
set plan = premium and city = Oslo for user 8812 in Customer.io | CustomerioPipelinesApi.IdentifyPersonAndAssignTraits
how many people have watched youtube.com/watch?v=dQw4w9WgXcQ? | Youtube.GetYoutubeVideoDetails Brightdata.WebDataFeed
who works under Helena at our company? | MicrosoftUsers.GetDirectReports
log on Globex's account in Pylon that we had a renewal call today | PylonApi.CreateAccountActivity
if I share 137 sweets equally between 12 kids, how many are left over? | Math.Mod
remove the "Story points" custom field from our Trello board | TrelloApi.DeleteTrelloCustomField
let Nadia see the budget folder in my Google Drive | GoogleDrive.ShareFile
open NDA_v4.docx in Word and tell me what it says | MicrosoftWord.GetDocument
freshservice change request notes | FreshserviceApi.GetChangeRequestNotes
google sheets user profile | GoogleSheets.WhoAmI
what's one share of Nvidia worth right now? | GoogleFinance.GetStockSummary
how many opens and clicks did the "Welcome series" campaign get in Customer.io this month? | Customerio.GetCampaignMetrics
what would it cost me to get the name mybakery.dev? | VercelApi.FetchDomainPrice
show record 3941 from the "All Orders" report of our Zoho Creator app | ZohoCreatorApi.FetchRecordDetail
draw me a bar graph of these sales numbers | E2b.CreateStaticMatplotlibChart
flights Berlin to Tokyo on 3 May, Tokyo to Sydney on 12 May, Sydney back home on 25 May | GoogleFlights.SearchMultiCityFlights
look for Notion pages that have "hiring" in their title | Notion.SearchByTitle NotionToolkit.SearchByTitle
is anyone hiring nurses around Leeds? | GoogleJobs.SearchJobs
make "Confidential" the default classification for the Finance team's boards in Miro | MiroApi.UpdateTeamBoardClassificationSettings
show me everything on my TickTick task "Renew passport", with its reminders | TicktickApi.RetrieveTaskDetails
get insightly task | Insightly.GetTask
who all has a Jira login at our place? | Jira.ListUsers
prepare an email to the landlord in our shared info@ Outlook mailbox, but don't send it yet | MicrosoftOutlookMail.SharedMailboxCreateDraftEmail
query yugabytedb | Yugabytedb.RunReadOnlyQuery
I don't want to see that who-did-what feed beside my Trello board any more | TrelloApi.UpdateSidebarActivityPreference
how many orders came in since January, according to our Postgres orders table? | Postgres.ExecuteSelectQuery
list asana workspaces | Asana.ListWorkspaces
what research requests have I made on Exa so far? | ExaApi.ListResearchRequests
make a "VIP sponsor" tag for the guests on our Luma calendar | LumaApi.CreatePersonTag
bump 7.2 to the next whole number | Math.Ceil
tell my professional network that I've started at a new company | Linkedin.CreateTextPost
who is Dimitri's boss? | MicrosoftUsers.GetUserManager
give me an overview of how our Notion is laid out | NotionToolkit.GetWorkspaceStructure
pass the invoice mail from Telekom in my Gmail on to our accountant kim@ledger.co | Gmail.ForwardEmail
give our custom HubSpot event "demo_requested" a better description | HubspotEventsApi.UpdateCustomEventDefinition
how many inactive users are in the "accounts" collection of our MongoDB? | Mongodb.CountDocuments
which Slack rooms am I part of? | Slack.ListConversations
airtable scim user by id | AirtableApi.GetScimUser
create datadog project | DatadogApi.CreateProject
give me a link to Budget2025.xlsx on OneDrive that anyone in the company can edit with | MicrosoftOnedrive.CreateShareLink
somewhere to stay in Vienna for two, 4th to 7th of July, under 150 a night | GoogleHotels.SearchHotels
list luma calendar people | LumaApi.ListPeople
weaviate group names | WeaviateApi.RetrieveGroupNames
which folders does the sales@ shared mailbox have and how many unread mails are in each? | MicrosoftOutlookMail.SharedMailboxListMailFolders
set up a meeting with Bianca on Tuesday at 10 through HubSpot | HubspotMeetingsApi.ScheduleMeetingHubspot HubspotMeetingsApi.BookHubspotMeeting
duplicate the 2024 template folder into the 2025 library on SharePoint | MicrosoftSharepoint.CopyItem
is https working for shop.example.com on Fly yet? | Flyio.CheckCertificate
what have people written down on PagerDuty incident PT4KHLK? | PagerdutyApi.ListIncidentNotes
google "best trail running shoes 2025" and give me the top results | GoogleSearch.Search Brightdata.SearchEngine
protect the shared "Weekly signups" insight in PostHog with a password | PosthogApi.CreateInsightsSharingPassword
tell Customer.io that customer 5521 just completed checkout | CustomerioTrackApi.SendCustomerEvent CustomerioPipelinesApi.TrackUserEvent
how do I reach that Johansson in our Oslo office? we're all on Google Workspace | GoogleContacts.SearchDirectoryPeople
say no to the Monday stand-up they asked me to | GoogleCalendar.RespondToEvent
create a project "ERP rollout Kessler" in Insightly | Insightly.SaveProject
take down that thing I posted on X yesterday | X.DeleteTweetById
search notion by title | NotionToolkit.SearchByTitle Notion.SearchByTitle
remove my comment from the payroll spreadsheet in Google Sheets | GoogleSheets.DeleteComment
is there a channel about the hackathon in the Engineering team on MS Teams? | MicrosoftTeams.SearchChannels
open trace 7f3a91c2 in Datadog and show me where the time went | Datadog.GetTrace
microsoft teams current user | MicrosoftTeams.WhoAmI
search square terminal actions | SquareupApi.SearchTerminalActions
list snowflake schemas | Snowflake.DiscoverSchemas
add Rahul Verma as a new candidate in Ashby | AshbyApi.CreateCandidate
has the user finished granting us permission yet? | ArcadeEngineApi.CheckAuthStatus
dig out the recorded call where we spoke with Daimler about pricing | Fireflies.SearchMeetings
connect www.cafeluna.pt to our Vercel project | Vercel.AddProjectDomain
directions from 52.52, 13.40 to 48.14, 11.58 | GoogleMaps.GetDirectionsBetweenCoordinates
start a new deck that looks just like our company one | GoogleSlides.CreatePresentationFromTemplate
provision nora@acme.io as an Airtable user for our SSO | AirtableApi.CreateScimUser
add a second account "Support DE" to our custom channel in HubSpot conversations | HubspotConversationsApi.CreateChannelAccount
list hubspot custom event definitions | HubspotEventsApi.RetrieveCustomEventDefinitions
what columns does the ORDERS table have in Snowflake? | Snowflake.GetTableSchema
look up "квартиры в Алматы" on Yandex | Brightdata.SearchEngine
mail the password reset message to ola@mail.no with Resend | Resend.SendEmail
strip all the custom labels off self-hosted runner 23 in our GitHub org | GithubApi.RemoveAllCustomLabelsRunnerOrg
which people in Customer.io live in Spain and are in the trial segment? | Customerio.SearchPeople
list pagerduty schedules | Pagerduty.ListSchedules
we bought a delivery van, put it into Zoho Books | ZohoBooksApi.CreateFixedAsset
who can get into our Power BI finance area, and with what rights? | MicrosoftPowerbi.ListWorkspaceMembers
mark message 9931 in our custom HubSpot channel as failed | HubspotConversationsApi.UpdateMessageStatus
I've a long story in six parts to put on X | X.PostThread
is the old version of merger.pdf on Box under a legal hold? | BoxApi.RetrieveFileVersionLegalHolds
which login am I using on Vercel? | Vercel.GetCurrentUser
when is my next meeting with Farid in Outlook? | MicrosoftOutlookCalendar.SearchEvents
where can I buy a cheap espresso machine? | GoogleShopping.SearchProducts Walmart.SearchProducts
create a PagerDuty template for our outage alerts | PagerdutyApi.CreateAlertTemplate
update asana webhook filters | AsanaApi.AsanaUpdateWebhookFilters
rename those three landing page folders in HubSpot | HubspotCmsApi.UpdateLandingPageFolders
what three letters stand for Gothenburg on a plane ticket? | GoogleFlights.LookupAirports
which song is on at the moment? | Spotify.GetCurrentlyPlaying
leave a comment on the Q2 Google Slides deck asking Theo to update the chart | GoogleSlides.CommentOnPresentation
give me the text of kickoff.pptx from PowerPoint so I can summarize it | MicrosoftPowerpoint.GetPresentationAsMarkdown
give Sam and Lucia access to yesterday's Fireflies recording | Fireflies.ShareMeeting
how do I get from Alexanderplatz to Tempelhofer Feld by train? | GoogleMaps.GetDirectionsBetweenAddresses
can PR #88 go in already or is something still holding it up? | Github.CheckPullRequestMergeStatus
make Greta the owner of these 15 accounts in Pylon | PylonApi.UpdateMultipleAccounts
look up paul@vertex.com in our Airtable enterprise account | AirtableApi.GetAirtableUserInfo
what are the job title and office of m.lang@contoso.com in Microsoft 365? | MicrosoftUsers.GetUserProfile
datadog cloudflare account | DatadogApi.GetCloudflareAccount
what have the people on my "AI researchers" X list been posting? | X.GetListTweets
add a note to the Contoso deal in HubSpot that the budget is approved | Hubspot.CreateNoteActivity
let our supplier know by mail that their bill has been paid | ZohoBooksApi.SendVendorPaymentEmail
how big is the firm behind personio.de, and how much money does it make? | Apollo.EnrichOrganization
get jira attachment metadata | Jira.GetAttachmentMetadata
build a newsletter sign-up form in HubSpot | HubspotMarketingApi.CreateMarketingForm
move ENG-214 to In Review in Linear | Linear.TransitionIssueState
search square events | SquareupApi.SearchSquareEvents
stop Cursor, what it's busy with is going in the wrong direction | CursorAgents.CancelRun
what does Marek still have on his plate in ClickUp? | Clickup.GetTasksByAssignees
track user event | CustomerioPipelinesApi.TrackUserEvent CustomerioTrackApi.SendCustomerEvent
list fly machines | Flyio.ListMachines
add a closing paragraph to the bottom of my Word report | MicrosoftWord.InsertTextAtEnd
scrape webpage | Firecrawl.ScrapeUrl Brightdata.ScrapeAsMarkdown
change Olga's email address on her Freshservice agent profile | FreshserviceApi.UpdateExistingAgent
insightly add note | Insightly.CreateNote
what do 48 crates at 17.50 each come to? | Math.Multiply
how did bulk read job 88123 in Zoho Creator turn out? | ZohoCreatorApi.GetBulkReadJobDetails
delete pre-receive hook | GithubApi.DeletePreReceiveHook
which billable expenses are linked to Ridgeway in Xero? | XeroApi.RetrieveLinkedTransactions
show me what's in /app/config.yaml in the Daytona sandbox | Daytona.ReadFile
create a Google Sheet for our wedding guest list | GoogleSheets.CreateOrEditSpreadsheet
do we have Brightwater Ltd as a company in Freshdesk? | Freshdesk.SearchCompanies
call off that mail that's due to go out through Resend tomorrow | Resend.CancelEmail
put a password on the session recording I shared from PostHog | PosthogApi.CreateRecordingSharePassword
what's kept in our Yugabyte, and how much of it? | Yugabytedb.SummarizeDatabase
I'm off sick tomorrow, don't have any lunch brought for me | Forkable.SkipMeal
list freshdesk agents | Freshdesk.ListAgents
find a 55 inch TV at Walmart | Walmart.SearchProducts
comment on the "Mobile rewrite" project in Linear that the API is frozen | Linear.AddProjectComment
clickhouse schemas | Clickhouse.DiscoverSchemas
what's my Telegram bot called? | Telegram.WhoAmI
how did the ad we put on Facebook from Mailchimp do? | MailchimpMarketingApi.GetFacebookAdReport
which mailings has jo@foo.com agreed to get from us in Customer.io? | CustomerioApi.GetSubscriptionPreferences
get the five latest orders of customer 19 from MongoDB | Mongodb.FindDocuments
nobody but me should be able to open my salary sheet on Google Drive any more | GoogleDrive.RemoveAllCollaborators
reply on Zendesk ticket 30412 that the parcel has shipped | Zendesk.AddTicketComment
what has HubSpot indexed for blog post 5582? | HubspotCmsApi.RetrieveIndexedDataByContentId
`)
