/** What suites of pages share: a stack, a browser, people who look at pages, and what each of their pages did unseen. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser, openPage, signIn, type Watched } from './browser';
import { startHostPage, type HostPage } from './host-page';
import { ownWorkspace, TEST_KEY } from './http';
import { TestStack } from './stack';

type StackOptions = NonNullable<Parameters<typeof TestStack.start>[0]>;

class PageSuite {
  private opened: Watched[] = [];

  protected constructor(
    readonly stack: TestStack,
    readonly browser: Browser,
  ) {}

  /** A page of a person of their own. Its errors fail `closePages`. */
  async blank(options: BrowserContextOptions = {}): Promise<{ page: Page; watched: Watched }> {
    const { page, watched } = await openPage(this.browser, options);
    this.opened.push(watched);
    return { page, watched };
  }

  /** Starts a run and waits until it asks. */
  async paused(input: unknown, more: Record<string, unknown> = {}): Promise<string> {
    const { run_id } = await this.stack.api.start(input, more);
    await this.stack.api.untilWaiting(run_id);
    return run_id;
  }

  /** After each test: no page had an error, and each called only these origins. */
  async closePages(...origins: string[]): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
    const [opened, known] = [this.opened, [this.stack.api.url, ...origins]];
    this.opened = [];
    expect(opened.flatMap(({ errors }) => errors)).toEqual([]);
    const elsewhere = opened.flatMap(({ requested }) => requested);
    expect(elsewhere.filter((url) => !known.some((origin) => url.startsWith(origin)))).toEqual([]);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.stack.stop();
  }
}

/** Pages of the console. */
export class ConsolePages extends PageSuite {
  static async start({ app, ...options }: StackOptions = {}): Promise<ConsolePages> {
    const stack = TestStack.start({ ...options, app: { keys: ownWorkspace(), ...app } });
    return new ConsolePages(...(await Promise.all([stack, openBrowser()])));
  }

  /** A page that is signed in, at a hash. */
  async open(hash?: string, options: BrowserContextOptions = {}): Promise<Page> {
    const { page } = await this.blank(options);
    await signIn(page, this.stack.api.url, TEST_KEY, hash);
    return page;
  }
}

/** What `<holdpoint-ask>` told the page around it. */
export interface Heard {
  type: 'answered' | 'refused' | 'closed';
  detail: {
    ask_id: string;
    outcome?: string;
    here?: boolean;
    status?: number | null;
    issues?: { path: string; code: string }[];
  };
}

/** The widget in somebody else's page, on an origin of its own. */
export class EmbeddedPages extends PageSuite {
  private constructor(
    stack: TestStack,
    browser: Browser,
    readonly host: HostPage,
  ) {
    super(stack, browser);
  }

  static async start({ app, ...options }: StackOptions = {}): Promise<EmbeddedPages> {
    const host = await startHostPage();
    const stack = TestStack.start({ ...options, app: { corsOrigins: [host.origin], ...app } });
    return new EmbeddedPages(...(await Promise.all([stack, openBrowser()])), host);
  }

  /** A person of their own who looks at a run. */
  async show(runId: string, more: Record<string, string> = {}, options: BrowserContextOptions = {}): Promise<Page> {
    const { page } = await this.blank(options);
    await page.goto(this.host.urlOf({ api: this.stack.api.url, runId }, { key: TEST_KEY, ...more }));
    return page;
  }

  heard(page: Page): Promise<Heard[]> {
    return page.evaluate<Heard[]>('window.heard');
  }

  /** What the agent got for its questions, once the run has ended. */
  async result(runId: string): Promise<unknown[]> {
    await this.stack.api.untilEnded(runId);
    return this.stack.api.toolResults(runId, 'ask_a_human');
  }

  override async closePages(): Promise<void> {
    await super.closePages(this.host.origin);
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.host.close();
  }
}
