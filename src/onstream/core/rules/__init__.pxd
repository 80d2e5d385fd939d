# Mathematics that linear and kernel learners share.
