/* pipeline/model_places.c - a counting semaphore. */
#include "pipeline/model_places.h"

struct DpModelPlaces {
  GMutex lock;
  GCond given;
  guint n, taken, most;
};

DpModelPlaces *
dp_model_places_new (guint n)
{
  DpModelPlaces *places = g_new0 (DpModelPlaces, 1);

  places->n = MAX (n, 1);
  g_mutex_init (&places->lock);
  g_cond_init (&places->given);
  return places;
}

void
dp_model_places_free (DpModelPlaces *places)
{
  if (!places)
    return;
  g_mutex_clear (&places->lock);
  g_cond_clear (&places->given);
  g_free (places);
}

void
dp_model_places_take (DpModelPlaces *places)
{
  g_mutex_lock (&places->lock);
  while (places->taken == places->n)
    g_cond_wait (&places->given, &places->lock);
  places->taken++;
  places->most = MAX (places->most, places->taken);
  g_mutex_unlock (&places->lock);
}

void
dp_model_places_give (DpModelPlaces *places)
{
  g_mutex_lock (&places->lock);
  places->taken--;
  g_cond_signal (&places->given);
  g_mutex_unlock (&places->lock);
}

guint
dp_model_places_most (DpModelPlaces *places)
{
  g_mutex_lock (&places->lock);
  const guint most = places->most;
  g_mutex_unlock (&places->lock);
  return most;
}
