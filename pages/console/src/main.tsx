import '@fontsource-variable/inter/wght.css';
import './style/reset.css';
import './style/tokens.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { consolePath } from './boot.js';
import { isTemporary, Problem } from './data/problem.js';
import { session } from './session/session.js';
import { App } from './shell/app.js';
import { loadScreen } from './shell/routes.js';

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (failures, error) => failures < 4 && isTemporary(error),
      retryDelay: (failures, error) =>
        error instanceof Problem && error.retryAfterSeconds !== undefined
          ? Math.min(error.retryAfterSeconds, 60) * 1000
          : Math.min(500 * 2 ** failures, 8000),
      refetchOnWindowFocus: true,
    },
  },
});

void session.start();

// Not before its screen is there: what is suspended is shown later.
void loadScreen(location.pathname.slice(consolePath.length)).then(() =>
  createRoot(document.getElementById('root')!).render(
    <QueryClientProvider client={queryClient}>
      <Router base={consolePath}>
        <App />
      </Router>
    </QueryClientProvider>,
  ),
);
